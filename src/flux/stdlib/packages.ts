// All packages of the library: import path, functions and values in TypeScript, and text in Flux. What is
// not listed here cannot be imported; a text is parsed when its package is first used.

import type { Definitions } from '../package/define.js'
import { Package } from '../package/package.js'
import { arrays } from './array/arrays.js'
import { bitwiseBuiltins } from './bitwise/package.js'
import anomalydetectionSource from './contrib/anaisdg/anomalydetection/anomalydetection.flux'
import statsmodelsSource from './contrib/anaisdg/statsmodels/statsmodels.flux'
import alertaSource from './contrib/bonitoo-io/alerta/alerta.flux'
import { hexBuiltins } from './contrib/bonitoo-io/hex/package.js'
import servicenowSource from './contrib/bonitoo-io/servicenow/servicenow.flux'
import tickscriptSource from './contrib/bonitoo-io/tickscript/tickscript.flux'
import victoropsSource from './contrib/bonitoo-io/victorops/victorops.flux'
import zenossSource from './contrib/bonitoo-io/zenoss/zenoss.flux'
import discordSource from './contrib/chobbs/discord/discord.flux'
import jsternbergInfluxdbSource from './contrib/jsternberg/influxdb/influxdb.flux'
import clickhouseSource from './contrib/qxip/clickhouse/clickhouse.flux'
import { hashBuiltins } from './contrib/qxip/hash/package.js'
import logqlSource from './contrib/qxip/logql/logql.flux'
import naiveBayesClassifierSource from './contrib/RohanSreerama5/naiveBayesClassifier/naiveBayesClassifier.flux'
import bigpandaSource from './contrib/rhajek/bigpanda/bigpanda.flux'
import opsgenieSource from './contrib/sranka/opsgenie/opsgenie.flux'
import { opsgenieBuiltins } from './contrib/sranka/opsgenie/package.js'
import { sensuBuiltins } from './contrib/sranka/sensu/package.js'
import sensuSource from './contrib/sranka/sensu/sensu.flux'
import teamsSource from './contrib/sranka/teams/teams.flux'
import telegramSource from './contrib/sranka/telegram/telegram.flux'
import webexteamsSource from './contrib/sranka/webexteams/webexteams.flux'
import { eventsBuiltins } from './contrib/tomhollingworth/events/package.js'
import { csvBuiltins } from './csv/package.js'
import oldBoundariesSource from './date/boundaries/boundaries.flux'
import { dateBuiltins } from './date/package.js'
import { dictBuiltins } from './dict/package.js'
import aggregateSource from './experimental/aggregate/aggregate.flux'
import experimentalArraySource from './experimental/array/array.flux'
import { bigtableBuiltins } from './experimental/bigtable/package.js'
import experimentalCsvSource from './experimental/csv/csv.flux'
import boundariesSource from './experimental/date/boundaries/boundaries.flux'
import dynamicSource from './experimental/dynamic/dynamic.flux'
import { dynamicBuiltins } from './experimental/dynamic/package.js'
import experimentalSource from './experimental/experimental.flux'
import geoSource from './experimental/geo/geo.flux'
import { geoBuiltins } from './experimental/geo/package.js'
import { experimentalHttpBuiltins } from './experimental/http/package.js'
import { experimentalInfluxdbBuiltins } from './experimental/influxdb/package.js'
import ioxSource from './experimental/iox/iox.flux'
import { ioxBuiltins } from './experimental/iox/package.js'
import { experimentalJsonBuiltins } from './experimental/json/package.js'
import { mqttBuiltins } from './experimental/mqtt/package.js'
import oeeSource from './experimental/oee/oee.flux'
import { experimentalBuiltins } from './experimental/package.js'
import { polylineBuiltins } from './experimental/polyline/package.js'
import prometheusSource from './experimental/prometheus/prometheus.flux'
import { scraping } from './experimental/prometheus/scrape.js'
import querySource from './experimental/query/query.flux'
import { recordBuiltins } from './experimental/record/package.js'
import { experimentalTableBuiltins } from './experimental/table/package.js'
import { usageBuiltins } from './experimental/usage/package.js'
import usageSource from './experimental/usage/usage.flux'
import { generateBuiltins } from './generate/package.js'
import httpSource from './http/http.flux'
import { httpBuiltins } from './http/package.js'
import { requestsBuiltins } from './http/requests/package.js'
import requestsSource from './http/requests/requests.flux'
import monitorSource from './influxdata/influxdb/monitor/monitor.flux'
import { influxdbBuiltins } from './influxdata/influxdb/package.js'
import { sampleBuiltins } from './influxdata/influxdb/sample/package.js'
import sampleSource from './influxdata/influxdb/sample/sample.flux'
import schemaSource from './influxdata/influxdb/schema/schema.flux'
import { secretsBuiltins } from './influxdata/influxdb/secrets/package.js'
import { tasksBuiltins } from './influxdata/influxdb/tasks/package.js'
import tasksSource from './influxdata/influxdb/tasks/tasks.flux'
import { v1Builtins } from './influxdata/influxdb/v1/package.js'
import v1Source from './influxdata/influxdb/v1/v1.flux'
import debugSource from './internal/debug/debug.flux'
import { debugBuiltins } from './internal/debug/package.js'
import { genBuiltins } from './internal/gen/package.js'
import internalInfluxqlSource from './internal/influxql/influxql.flux'
import notificationSource from './internal/notification/notification.flux'
import { promqlBuiltins } from './internal/promql/package.js'
import promqlSource from './internal/promql/promql.flux'
import internalTestingSource from './internal/testing/testing.flux'
import { testutilBuiltins } from './internal/testutil/package.js'
import { interpolateBuiltins } from './interpolate/package.js'
import joinSource from './join/join.flux'
import { joinTables } from './join/tables.js'
import { jsonBuiltins } from './json/package.js'
import { kafkaBuiltins } from './kafka/package.js'
import { mathBuiltins } from './math/package.js'
import { dedupKeys } from './pagerduty/dedup-key.js'
import pagerdutySource from './pagerduty/pagerduty.flux'
import plannerSource from './planner/planner.flux'
import profilerSource from './profiler/profiler.flux'
import pushbulletSource from './pushbullet/pushbullet.flux'
import { regexpBuiltins } from './regexp/package.js'
import { runtimeBuiltins, systemBuiltins } from './runtime/package.js'
import { sampledataBuiltins } from './sampledata/package.js'
import sampledataSource from './sampledata/sampledata.flux'
import { slackBuiltins } from './slack/package.js'
import slackSource from './slack/slack.flux'
import { socketBuiltins } from './socket/package.js'
import { sqlBuiltins } from './sql/package.js'
import { stringsBuiltins } from './strings/package.js'
import { assertions } from './testing/assertions.js'
import expectSource from './testing/expect/expect.flux'
import testingSource from './testing/testing.flux'
import { timezoneBuiltins } from './timezone/package.js'
import timezoneSource from './timezone/timezone.flux'
import { typesBuiltins } from './types/package.js'
import typesSource from './types/types.flux'
import { universeBuiltins } from './universe/package.js'
import universeSource from './universe/universe.flux'

const table: readonly (readonly [path: string, builtins: Definitions, source?: string])[] = [
  ['array', arrays],
  ['bitwise', bitwiseBuiltins],
  ['contrib/RohanSreerama5/naiveBayesClassifier', {}, naiveBayesClassifierSource],
  ['contrib/anaisdg/anomalydetection', {}, anomalydetectionSource],
  ['contrib/anaisdg/statsmodels', {}, statsmodelsSource],
  ['contrib/bonitoo-io/alerta', {}, alertaSource],
  ['contrib/bonitoo-io/hex', hexBuiltins],
  ['contrib/bonitoo-io/servicenow', {}, servicenowSource],
  ['contrib/bonitoo-io/tickscript', {}, tickscriptSource],
  ['contrib/bonitoo-io/victorops', {}, victoropsSource],
  ['contrib/bonitoo-io/zenoss', {}, zenossSource],
  ['contrib/chobbs/discord', {}, discordSource],
  ['contrib/jsternberg/influxdb', {}, jsternbergInfluxdbSource],
  ['contrib/qxip/clickhouse', {}, clickhouseSource],
  ['contrib/qxip/hash', hashBuiltins],
  ['contrib/qxip/logql', {}, logqlSource],
  ['contrib/rhajek/bigpanda', {}, bigpandaSource],
  ['contrib/sranka/opsgenie', opsgenieBuiltins, opsgenieSource],
  ['contrib/sranka/sensu', sensuBuiltins, sensuSource],
  ['contrib/sranka/teams', {}, teamsSource],
  ['contrib/sranka/telegram', {}, telegramSource],
  ['contrib/sranka/webexteams', {}, webexteamsSource],
  ['contrib/tomhollingworth/events', eventsBuiltins],
  ['csv', csvBuiltins],
  ['date', dateBuiltins],
  ['date/boundaries', {}, oldBoundariesSource],
  ['dict', dictBuiltins],
  ['experimental', experimentalBuiltins, experimentalSource],
  ['experimental/aggregate', {}, aggregateSource],
  ['experimental/array', arrays, experimentalArraySource],
  ['experimental/bigtable', bigtableBuiltins],
  ['experimental/bitwise', bitwiseBuiltins],
  ['experimental/csv', {}, experimentalCsvSource],
  ['experimental/date/boundaries', {}, boundariesSource],
  ['experimental/dynamic', dynamicBuiltins, dynamicSource],
  ['experimental/geo', geoBuiltins, geoSource],
  ['experimental/http', experimentalHttpBuiltins],
  ['experimental/http/requests', requestsBuiltins, requestsSource],
  ['experimental/influxdb', experimentalInfluxdbBuiltins],
  ['experimental/iox', ioxBuiltins, ioxSource],
  ['experimental/json', experimentalJsonBuiltins],
  ['experimental/mqtt', mqttBuiltins],
  ['experimental/oee', {}, oeeSource],
  ['experimental/polyline', polylineBuiltins],
  ['experimental/prometheus', scraping, prometheusSource],
  ['experimental/query', {}, querySource],
  ['experimental/record', recordBuiltins],
  ['experimental/table', experimentalTableBuiltins],
  ['experimental/usage', usageBuiltins, usageSource],
  ['generate', generateBuiltins],
  ['http', httpBuiltins, httpSource],
  ['http/requests', requestsBuiltins, requestsSource],
  ['influxdata/influxdb', influxdbBuiltins],
  ['influxdata/influxdb/monitor', {}, monitorSource],
  ['influxdata/influxdb/sample', sampleBuiltins, sampleSource],
  ['influxdata/influxdb/schema', {}, schemaSource],
  ['influxdata/influxdb/secrets', secretsBuiltins],
  ['influxdata/influxdb/tasks', tasksBuiltins, tasksSource],
  ['influxdata/influxdb/v1', v1Builtins, v1Source],
  ['internal/debug', debugBuiltins, debugSource],
  ['internal/gen', genBuiltins],
  ['internal/influxql', {}, internalInfluxqlSource],
  ['internal/notification', {}, notificationSource],
  ['internal/promql', promqlBuiltins, promqlSource],
  ['internal/testing', {}, internalTestingSource],
  ['internal/testutil', testutilBuiltins],
  ['interpolate', interpolateBuiltins],
  ['join', joinTables, joinSource],
  ['json', jsonBuiltins],
  ['kafka', kafkaBuiltins],
  ['math', mathBuiltins],
  ['pagerduty', dedupKeys, pagerdutySource],
  ['planner', {}, plannerSource],
  ['profiler', {}, profilerSource],
  ['pushbullet', {}, pushbulletSource],
  ['regexp', regexpBuiltins],
  ['runtime', runtimeBuiltins],
  ['sampledata', sampledataBuiltins, sampledataSource],
  ['slack', slackBuiltins, slackSource],
  ['socket', socketBuiltins],
  ['sql', sqlBuiltins],
  ['strings', stringsBuiltins],
  ['system', systemBuiltins],
  ['testing', assertions, testingSource],
  ['testing/expect', {}, expectSource],
  ['timezone', timezoneBuiltins, timezoneSource],
  ['types', typesBuiltins, typesSource],
  ['universe', universeBuiltins, universeSource],
]

const packages: ReadonlyMap<string, Package> = new Map(
  table.map(([path, builtins, source]) => [path, new Package(path, builtins, source)]),
)

/** undefined: there is no such package. */
export function packageOf(path: string): Package | undefined {
  return packages.get(path)
}

export function packagePaths(): readonly string[] {
  return [...packages.keys()]
}

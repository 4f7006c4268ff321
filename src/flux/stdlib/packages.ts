// All packages of the library, by import path. Each package is put together in a folder of its own;
// what is not listed here cannot be imported.

import { arrayPackage, experimentalArrayPackage } from './array/package.js'
import { bitwisePackage, experimentalBitwisePackage } from './bitwise/package.js'
import { anomalydetectionPackage } from './contrib/anaisdg/anomalydetection/package.js'
import { statsmodelsPackage } from './contrib/anaisdg/statsmodels/package.js'
import { alertaPackage } from './contrib/bonitoo-io/alerta/package.js'
import { hexPackage } from './contrib/bonitoo-io/hex/package.js'
import { servicenowPackage } from './contrib/bonitoo-io/servicenow/package.js'
import { tickscriptPackage } from './contrib/bonitoo-io/tickscript/package.js'
import { victoropsPackage } from './contrib/bonitoo-io/victorops/package.js'
import { zenossPackage } from './contrib/bonitoo-io/zenoss/package.js'
import { discordPackage } from './contrib/chobbs/discord/package.js'
import { jsternbergInfluxdbPackage } from './contrib/jsternberg/influxdb/package.js'
import { clickhousePackage } from './contrib/qxip/clickhouse/package.js'
import { hashPackage } from './contrib/qxip/hash/package.js'
import { logqlPackage } from './contrib/qxip/logql/package.js'
import { naiveBayesClassifierPackage } from './contrib/RohanSreerama5/naiveBayesClassifier/package.js'
import { bigpandaPackage } from './contrib/rhajek/bigpanda/package.js'
import { opsgeniePackage } from './contrib/sranka/opsgenie/package.js'
import { sensuPackage } from './contrib/sranka/sensu/package.js'
import { teamsPackage } from './contrib/sranka/teams/package.js'
import { telegramPackage } from './contrib/sranka/telegram/package.js'
import { webexteamsPackage } from './contrib/sranka/webexteams/package.js'
import { eventsPackage } from './contrib/tomhollingworth/events/package.js'
import { csvPackage } from './csv/package.js'
import { boundariesPackage, oldBoundariesPackage } from './date/boundaries/package.js'
import { datePackage } from './date/package.js'
import type { PackageDefinition } from './define.js'
import { dictPackage } from './dict/package.js'
import { aggregatePackage } from './experimental/aggregate/package.js'
import { bigtablePackage } from './experimental/bigtable/package.js'
import { experimentalCsvPackage } from './experimental/csv/package.js'
import { dynamicPackage } from './experimental/dynamic/package.js'
import { geoPackage } from './experimental/geo/package.js'
import { experimentalHttpPackage } from './experimental/http/package.js'
import { experimentalInfluxdbPackage } from './experimental/influxdb/package.js'
import { ioxPackage } from './experimental/iox/package.js'
import { experimentalJsonPackage } from './experimental/json/package.js'
import { mqttPackage } from './experimental/mqtt/package.js'
import { oeePackage } from './experimental/oee/package.js'
import { experimentalPackage } from './experimental/package.js'
import { polylinePackage } from './experimental/polyline/package.js'
import { prometheusPackage } from './experimental/prometheus/package.js'
import { queryPackage } from './experimental/query/package.js'
import { recordPackage } from './experimental/record/package.js'
import { experimentalTablePackage } from './experimental/table/package.js'
import { usagePackage } from './experimental/usage/package.js'
import { generatePackage } from './generate/package.js'
import { httpPackage } from './http/package.js'
import { experimentalRequestsPackage, requestsPackage } from './http/requests/package.js'
import { monitorPackage } from './influxdata/influxdb/monitor/package.js'
import { influxdbPackage } from './influxdata/influxdb/package.js'
import { samplePackage } from './influxdata/influxdb/sample/package.js'
import { schemaPackage } from './influxdata/influxdb/schema/package.js'
import { secretsPackage } from './influxdata/influxdb/secrets/package.js'
import { tasksPackage } from './influxdata/influxdb/tasks/package.js'
import { v1Package } from './influxdata/influxdb/v1/package.js'
import { debugPackage } from './internal/debug/package.js'
import { genPackage } from './internal/gen/package.js'
import { internalInfluxqlPackage } from './internal/influxql/package.js'
import { promqlPackage } from './internal/promql/package.js'
import { internalTestingPackage } from './internal/testing/package.js'
import { testutilPackage } from './internal/testutil/package.js'
import { interpolatePackage } from './interpolate/package.js'
import { joinPackage } from './join/package.js'
import { jsonPackage } from './json/package.js'
import { kafkaPackage } from './kafka/package.js'
import { mathPackage } from './math/package.js'
import { pagerdutyPackage } from './pagerduty/package.js'
import { plannerPackage } from './planner/package.js'
import { profilerPackage } from './profiler/package.js'
import { pushbulletPackage } from './pushbullet/package.js'
import { regexpPackage } from './regexp/package.js'
import { runtimePackage, systemPackage } from './runtime/package.js'
import { sampledataPackage } from './sampledata/package.js'
import { slackPackage } from './slack/package.js'
import { socketPackage } from './socket/package.js'
import { sqlPackage } from './sql/package.js'
import { stringsPackage } from './strings/package.js'
import { expectPackage, testingPackage } from './testing/package.js'
import { timezonePackage } from './timezone/package.js'
import { typesPackage } from './types/package.js'
import { universePackage } from './universe/package.js'

const packages: ReadonlyMap<string, PackageDefinition> = new Map(
  [
    arrayPackage,
    csvPackage,
    expectPackage,
    experimentalArrayPackage,
    testingPackage,
    datePackage,
    dictPackage,
    interpolatePackage,
    jsonPackage,
    regexpPackage,
    runtimePackage,
    systemPackage,
    stringsPackage,
    timezonePackage,
    typesPackage,
    debugPackage,
    internalTestingPackage,
    testutilPackage,
    internalInfluxqlPackage,
    monitorPackage,
    influxdbPackage,
    samplePackage,
    schemaPackage,
    secretsPackage,
    tasksPackage,
    v1Package,
    plannerPackage,
    profilerPackage,
    experimentalPackage,
    experimentalTablePackage,
    generatePackage,
    joinPackage,
    aggregatePackage,
    polylinePackage,
    geoPackage,
    mathPackage,
    boundariesPackage,
    oldBoundariesPackage,
    sampledataPackage,
    recordPackage,
    bitwisePackage,
    experimentalBitwisePackage,
    httpPackage,
    requestsPackage,
    experimentalRequestsPackage,
    experimentalHttpPackage,
    experimentalCsvPackage,
    experimentalInfluxdbPackage,
    mqttPackage,
    bigtablePackage,
    kafkaPackage,
    socketPackage,
    slackPackage,
    pagerdutyPackage,
    pushbulletPackage,
    alertaPackage,
    servicenowPackage,
    victoropsPackage,
    zenossPackage,
    discordPackage,
    bigpandaPackage,
    opsgeniePackage,
    sensuPackage,
    teamsPackage,
    telegramPackage,
    webexteamsPackage,
    clickhousePackage,
    logqlPackage,
    hexPackage,
    tickscriptPackage,
    anomalydetectionPackage,
    statsmodelsPackage,
    naiveBayesClassifierPackage,
    eventsPackage,
    hashPackage,
    jsternbergInfluxdbPackage,
    dynamicPackage,
    experimentalJsonPackage,
    prometheusPackage,
    oeePackage,
    usagePackage,
    ioxPackage,
    queryPackage,
    promqlPackage,
    sqlPackage,
    genPackage,
    universePackage,
  ].map((definition) => [definition.path, definition]),
)

/** undefined: there is no such package. */
export function packageOf(path: string): PackageDefinition | undefined {
  return packages.get(path)
}

export function packagePaths(): readonly string[] {
  return [...packages.keys()]
}

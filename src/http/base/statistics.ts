// The modules of statistics that HTTP counts, under InfluxDB's names: `runtime`, `httpd` and `write`. They are figures
// of `/metrics`, told otherwise; what InfluxDB counts and nothing here does is left out.

import type { Statistics, StatisticsModule } from '../../query/statistics.js'
import type { MetricValue, ServerMetrics } from './metrics.js'

export function addHttpStatistics(
  statistics: Statistics,
  metrics: ServerMetrics,
  bind: string,
): void {
  statistics.add(async () => [
    runtimeModule(),
    await httpModule(metrics, bind),
    await writeModule(metrics),
  ])
}

function runtimeModule(): StatisticsModule {
  const { rss, heapTotal, heapUsed } = process.memoryUsage()
  const values = {
    Alloc: heapUsed,
    HeapAlloc: heapUsed,
    HeapIdle: heapTotal - heapUsed,
    HeapInUse: heapUsed,
    HeapSys: heapTotal,
    Sys: rss,
  }
  return { name: 'runtime', tags: {}, values }
}

const queryRoutes = [
  '/query',
  '/api/v2/query',
  '/api/v3/query_sql',
  '/api/v3/query_influxql',
] as const
const writeRoutes = ['/write', '/api/v2/write', '/api/v3/write_lp'] as const

async function httpModule(metrics: ServerMetrics, bind: string): Promise<StatisticsModule> {
  const requests = await metrics.values('http_requests_total')
  const durations = await metrics.values('http_request_duration_seconds')
  const at = (...routes: readonly string[]) =>
    sum(requests, ({ labels }) => routes.includes(String(labels.route)))
  const answered = (status: string) =>
    sum(requests, ({ labels }) => String(labels.status).startsWith(status))
  const took = (routes?: readonly string[]) =>
    nanoseconds(durations, (route) => routes === undefined || routes.includes(route))
  const values = {
    req: sum(requests),
    queryReq: at(...queryRoutes),
    fluxQueryReq: at('/api/v2/query'),
    writeReq: at(...writeRoutes),
    pingReq: at('/ping'),
    promReadReq: at('/api/v1/prom/read'),
    promWriteReq: at('/api/v1/prom/write'),
    authFail: answered('401'),
    clientError: answered('4'),
    serverError: answered('5'),
    reqDurationNs: took(),
    queryReqDurationNs: took(queryRoutes),
    writeReqDurationNs: took(writeRoutes),
    writeReqActive: sum(await metrics.values('write_requests_in_flight')),
    writeReqBytes: sum(await metrics.values('write_wire_bytes_total')),
    pointsWrittenOK: sum(await metrics.values('write_points_total')),
    pointsWrittenFail: sum(await metrics.values('write_points_rejected_total')),
  }
  return { name: 'httpd', tags: { bind }, values }
}

async function writeModule(metrics: ServerMetrics): Promise<StatisticsModule> {
  const written = sum(await metrics.values('write_points_total'))
  const dropped = sum(await metrics.values('write_points_rejected_total'))
  const writes = await metrics.values('write_requests_total')
  const values = {
    req: sum(writes),
    pointReq: written + dropped,
    writeOk: sum(writes, ({ labels }) => labels.result === 'complete'),
    writeDrop: dropped,
  }
  return { name: 'write', tags: {}, values }
}

function nanoseconds(durations: readonly MetricValue[], keep: (route: string) => boolean): number {
  const seconds = sum(
    durations,
    ({ metricName = '', labels }) => metricName.endsWith('_sum') && keep(String(labels.route)),
  )
  return Math.round(seconds * 1e9)
}

function sum(
  values: readonly MetricValue[],
  keep: (value: MetricValue) => boolean = () => true,
): number {
  return values.reduce((total, value) => total + (keep(value) ? value.value : 0), 0)
}

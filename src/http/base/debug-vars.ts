// `/debug/vars`: the figures that Telegraf and the like read from InfluxDB 1, under its names: memory as Go tells it,
// and points of `httpd`, `write` and `runtime`. They are those of `/metrics`, told otherwise.

import type { ServerMetrics } from './metrics.js'

interface Point {
  readonly name: string
  readonly tags: Readonly<Record<string, string>>
  readonly values: Readonly<Record<string, number>>
}

export interface DebugParts {
  readonly metrics: ServerMetrics
  readonly bind: string
  readonly started: string
  readonly now: string
  readonly uptimeSeconds: number
}

export async function debugVars(parts: DebugParts): Promise<object> {
  const { started, now: currentTime, uptimeSeconds: uptime, bind } = parts
  const figures = await parts.metrics.figures()
  const points: Point[] = [httpPoint(figures, bind), writePoint(figures), runtimePoint()]
  const named = points.map((point) => [
    point.name === 'httpd' ? `httpd:${bind}` : point.name,
    point,
  ])
  return {
    system: { started, currentTime, uptime },
    cmdline: ['millrace', 'serve'],
    memstats: memoryFigures(),
    ...Object.fromEntries(named),
  }
}

type Figures = Awaited<ReturnType<ServerMetrics['figures']>>

function sum(
  figures: Figures,
  name: string,
  keep: (labels: Readonly<Record<string, unknown>>) => boolean = () => true,
): number {
  const values = figures.find((metric) => metric.name === name)?.values ?? []
  return values.reduce((total, { labels, value }) => total + (keep(labels) ? value : 0), 0)
}

const requests = 'millrace_http_requests_total'

function httpPoint(figures: Figures, bind: string): Point {
  const at = (...routes: string[]) =>
    sum(figures, requests, ({ route }) => routes.includes(String(route)))
  const answered = (first: string) =>
    sum(figures, requests, ({ status }) => String(status).startsWith(first))
  return {
    name: 'httpd',
    tags: { bind },
    values: {
      req: sum(figures, requests),
      queryReq: at('/query', '/api/v2/query', '/api/v3/query_sql', '/api/v3/query_influxql'),
      writeReq: at('/write', '/api/v2/write', '/api/v3/write_lp'),
      pingReq: at('/ping'),
      clientError: answered('4'),
      serverError: answered('5'),
      writeReqActive: sum(figures, 'millrace_write_requests_in_flight'),
      writeReqBytes: sum(figures, 'millrace_write_wire_bytes_total'),
      pointsWrittenOK: sum(figures, 'millrace_write_points_total'),
      pointsWrittenFail: sum(figures, 'millrace_write_points_rejected_total'),
    },
  }
}

function writePoint(figures: Figures): Point {
  const written = sum(figures, 'millrace_write_points_total')
  const dropped = sum(figures, 'millrace_write_points_rejected_total')
  return {
    name: 'write',
    tags: {},
    values: {
      req: sum(figures, 'millrace_write_requests_total'),
      pointReq: written + dropped,
      writeOk: sum(figures, 'millrace_write_requests_total', ({ result }) => result === 'complete'),
      writeDrop: dropped,
    },
  }
}

function runtimePoint(): Point {
  const { HeapAlloc, HeapInuse, HeapSys, Sys } = memoryFigures()
  return { name: 'runtime', tags: {}, values: { HeapAlloc, HeapInUse: HeapInuse, HeapSys, Sys } }
}

/** Go's names. What V8 does not count is 0; readers look for the members, the list of pauses included. */
function memoryFigures() {
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage()
  return {
    Alloc: heapUsed,
    TotalAlloc: heapUsed,
    Sys: rss,
    Lookups: 0,
    Mallocs: 0,
    Frees: 0,
    HeapAlloc: heapUsed,
    HeapSys: heapTotal,
    HeapIdle: heapTotal - heapUsed,
    HeapInuse: heapUsed,
    HeapReleased: 0,
    HeapObjects: 0,
    OtherSys: external,
    NextGC: heapTotal,
    LastGC: 0,
    PauseTotalNs: 0,
    PauseNs: new Array(256).fill(0),
    NumGC: 0,
    GCCPUFraction: 0,
  }
}

// Figures for monitoring in Prometheus' text form: requests and writes counted here, the store's
// own figures, and the process. Each server has its own registry, so that several can run in one
// process.

import { Counter, Gauge, Registry } from 'prom-client'
import type { Alerts } from '../../alerts/alerts.js'
import { metricText } from '../../platform/metric-text.js'
import { cacheFigures, type Service } from '../../service/service.js'
import type { Store, StoreMetric } from '../../store/store.js'
import { ProcessMetrics } from './process-metrics.js'
import { RequestFigures } from './request-figures.js'

const prefix = 'millrace_'

export interface MetricValue {
  readonly metricName?: string
  readonly labels: Readonly<Record<string, unknown>>
  readonly value: number
}

export class ServerMetrics {
  readonly #registry = new Registry()
  readonly #store: Store
  readonly #process: ProcessMetrics
  readonly #requests = new RequestFigures()
  /** Of parts that print their own, under names without our prefix. */
  readonly #sources: (() => string)[] = []
  readonly #writes: Counter<'result'>
  readonly #written: Counter
  readonly #rejected: Counter<'reason'>
  readonly #wireBytes: Counter
  readonly #bodyBytes: Counter

  constructor(service: Service, alerts: Pick<Alerts, 'figures'>) {
    const { store, writes, failures } = service
    this.#store = store
    const registers = [this.#registry]
    this.#process = new ProcessMetrics(this.#registry)
    const requests = `${prefix}http_requests_total`
    this.#requests.register(this.#registry, requests, `${prefix}http_request_duration_seconds`)
    const counter = <Label extends string = never>(
      name: string,
      help: string,
      labelNames: Label[] = [],
    ) => new Counter({ name: prefix + name, help, labelNames, registers })
    this.#writes = counter('write_requests_total', 'Writes that reached the store.', ['result'])
    this.#written = counter('write_points_total', 'Points written.')
    this.#rejected = counter('write_points_rejected_total', 'Points not written.', ['reason'])
    this.#wireBytes = counter('write_wire_bytes_total', 'Bytes of writes as they were sent.')
    this.#bodyBytes = counter('write_body_bytes_total', 'Bytes of writes after unpacking.')
    const errors: Counter = new Counter({
      name: `${prefix}http_internal_errors_total`,
      help: 'Requests that failed by our own fault.',
      registers,
      collect: () => {
        errors.reset()
        errors.inc(failures.count)
      },
    })
    this.#cacheMetrics(service)
    this.#alertMetrics(alerts)
    this.#queryMetrics(service)
    const writesUnderWay: Gauge = new Gauge({
      name: `${prefix}write_requests_in_flight`,
      help: 'Writes under way.',
      registers,
      collect: () => writesUnderWay.set(writes.count),
    })
  }

  #queryMetrics({ queries }: Service): void {
    const gauge = (name: string, help: string, read: () => number) => {
      const metric: Gauge = new Gauge({
        name: prefix + name,
        help,
        registers: [this.#registry],
        collect: () => metric.set(read()),
      })
    }
    const { active, turns, memory, threads } = queries
    gauge('query_memory_bytes', 'What queries hold, as they count it.', () => memory.heldBytes)
    gauge('queries_in_flight', 'Queries under way.', () => active.count)
    gauge(
      'queries_heavy',
      'Queries that have a place among the heavy ones.',
      () => turns.heavyCount,
    )
    gauge('queries_waiting', 'Queries that wait for such a place.', () => turns.waitingCount)
    gauge('query_threads', 'Threads that run long queries.', () => threads?.readyCount ?? 0)
    const handedOver: Counter = new Counter({
      name: `${prefix}queries_handed_over_total`,
      help: 'Queries that ran on such a thread.',
      registers: [this.#registry],
      collect: () => {
        handedOver.reset()
        handedOver.inc(threads?.count ?? 0)
      },
    })
  }

  #alertMetrics(alerts: Pick<Alerts, 'figures'>): void {
    const deliveries: Counter<'result'> = new Counter({
      name: `${prefix}notifications_total`,
      help: 'Tries to deliver notifications: taken, to be tried again, given up.',
      labelNames: ['result'],
      registers: [this.#registry],
      collect: () => {
        deliveries.reset()
        for (const [result, count] of Object.entries(alerts.figures)) {
          deliveries.inc({ result }, count)
        }
      },
    })
  }

  #cacheMetrics(service: Service): void {
    const figures = { entries: 'Entries', bytes: 'Estimated bytes', hits: 'Hits', misses: 'Misses' }
    for (const [figure, noun] of Object.entries(figures)) {
      const isCounter = figure === 'hits' || figure === 'misses'
      const gauge: Gauge<'cache'> = new Gauge({
        name: `${prefix}cache_${figure}${isCounter ? '_total' : ''}`,
        help: `${noun} of a cache.`,
        labelNames: ['cache'],
        registers: [this.#registry],
        collect: () => {
          for (const [cache, read] of Object.entries(cacheFigures(service))) {
            gauge.set({ cache }, read[figure as keyof typeof figures])
          }
        },
      })
    }
  }

  request(method: string, route: string, status: number, seconds: number): void {
    this.#requests.count(method, route, status, seconds)
  }

  write(figures: {
    readonly wireBytes: number
    readonly bodyBytes: number
    readonly written: number
    readonly malformed: number
    readonly rejected: number
  }): void {
    const { written, malformed, rejected } = figures
    const isWhole = malformed + rejected === 0
    const result = isWhole ? 'complete' : written > 0 ? 'partial' : 'rejected'
    this.#writes.inc({ result })
    this.#wireBytes.inc(figures.wireBytes)
    this.#bodyBytes.inc(figures.bodyBytes)
    this.#written.inc(written)
    if (malformed > 0) this.#rejected.inc({ reason: 'malformed' }, malformed)
    if (rejected > 0) this.#rejected.inc({ reason: 'refused by the store' }, rejected)
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  async text(): Promise<string> {
    const ofStore = await this.#store.metrics()
    const own = await this.#registry.metrics()
    const others = this.#sources.map((source) => source())
    return [own, ...ofStore.map(storeMetricText), ...others].join('')
  }

  add(source: () => string): void {
    this.#sources.push(source)
  }

  /** The values of one of our own, with their labels. */
  async values(name: string): Promise<readonly MetricValue[]> {
    const metric = this.#registry.getSingleMetric(prefix + name)
    return metric === undefined ? [] : (await metric.get()).values
  }

  close(): void {
    this.#process.close()
    this.#registry.clear()
  }
}

function storeMetricText(metric: StoreMetric): string {
  const name = prefix + metric.name
  const help = metric.help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
  return metricText(name, help, metric.type, metric.value)
}

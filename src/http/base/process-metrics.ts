// Figures of the process under the names that Prometheus dashboards know. Written here because the
// collection that comes with prom-client starts observers that can never be stopped, and a server
// must end without a trace.

import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, type Registry } from 'prom-client'

/** How often the event loop's delay is sampled. */
const resolutionMs = 20

export class ProcessMetrics {
  /** From the first scrape on. */
  #delay: IntervalHistogram | undefined

  constructor(registry: Registry) {
    const gauge = (name: string, help: string, read: () => number) => {
      const metric: Gauge = new Gauge({
        name,
        help,
        registers: [registry],
        collect: () => metric.set(read()),
      })
    }
    const cpu: Counter = new Counter({
      name: 'process_cpu_seconds_total',
      help: 'User and system CPU time spent.',
      registers: [registry],
      collect: () => {
        const { user, system } = process.cpuUsage()
        cpu.reset()
        cpu.inc((user + system) / 1e6)
      },
    })
    gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss())
    gauge('process_uptime_seconds', 'Time since the process started.', () => process.uptime())
    gauge('nodejs_heap_size_used_bytes', 'Heap in use.', () => process.memoryUsage().heapUsed)
    gauge('nodejs_heap_size_total_bytes', 'Heap reserved.', () => process.memoryUsage().heapTotal)
    gauge('nodejs_external_memory_bytes', 'Memory of buffers outside the heap.', () => {
      return process.memoryUsage().external
    })
    // Each scrape tells of the time since the one before. Before the first one nothing is sampled: that wakes a process
    // up that has nothing to do, fifty times a second, and is most of what it takes then.
    gauge('nodejs_eventloop_lag_max_seconds', 'Longest delay since the last scrape.', () =>
      this.#lagSeconds(),
    )
  }

  #lagSeconds(): number {
    if (this.#delay === undefined) {
      this.#delay = monitorEventLoopDelay({ resolution: resolutionMs })
      this.#delay.enable()
      return 0
    }
    // What is measured is from one sample to the next.
    const seconds = Math.max(0, this.#delay.max / 1e6 - resolutionMs) / 1e3
    this.#delay.reset()
    return seconds
  }

  close(): void {
    this.#delay?.disable()
  }
}

// `/debug/vars`: what Telegraf and the like read from InfluxDB 1, under its names: memory as Go tells it, and the
// modules of SHOW STATS, each by its name and the values of its tags.

import type { StatisticsModule } from '../../query/statistics.js'

export interface DebugParts {
  readonly modules: readonly StatisticsModule[]
  readonly started: string
  readonly now: string
  readonly uptimeSeconds: number
}

export function debugVars(parts: DebugParts): object {
  const { started, now: currentTime, uptimeSeconds: uptime, modules } = parts
  const named = modules.map((module) => [keyOf(module), module])
  return {
    system: { started, currentTime, uptime },
    cmdline: ['millrace', 'serve'],
    memstats: memoryFigures(),
    ...Object.fromEntries(named),
  }
}

function keyOf({ name, tags }: StatisticsModule): string {
  return [name, ...Object.values(tags)].join(':')
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

// The longest stretch in which the thread did one thing only is told between two scrapes, and nothing is sampled before
// the first one.

import { setTimeout } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { ProcessMetrics } from './process-metrics.js'

const blockedMs = 200

test('a stretch counts from the first scrape on, and until the next one', async () => {
  const registry = new Registry()
  const metrics = new ProcessMetrics(registry)
  try {
    block()
    expect(await lagSeconds(registry)).toBe(0)
    await setTimeout(100)
    block()
    await setTimeout(100)
    // The timer that samples may have been about to fire.
    expect(await lagSeconds(registry)).toBeGreaterThan(blockedMs / 2 / 1e3)
  } finally {
    metrics.close()
  }
})

function block(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, blockedMs)
}

async function lagSeconds(registry: Registry): Promise<number> {
  const text = await registry.metrics()
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1])
}

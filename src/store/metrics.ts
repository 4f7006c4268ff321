// The two kinds of figures that the engine reports for monitoring; what is counted is said where it
// is counted.

import type { StoreMetric } from './store.js'

/** Only ever grows. */
export function counter(name: string, help: string, value: number): StoreMetric {
  return { name, help, type: 'counter', value }
}

/** Goes up and down. */
export function gauge(name: string, help: string, value: number): StoreMetric {
  return { name, help, type: 'gauge', value }
}

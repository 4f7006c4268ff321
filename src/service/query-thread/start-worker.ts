// Starts query threads. Which file they run is known here alone: whoever asks for one is given this function, so that
// tests can bring another.

import { Worker } from 'node:worker_threads'
import type { StartWorker } from '../../platform/idle-thread.js'

/** A thread that runs query-worker.ts. */
export const startQueryWorker: StartWorker = (resourceLimits) =>
  new Worker(new URL('./query-worker.js', import.meta.url), { resourceLimits })

// Starts the engine's threads. Which file a thread runs is known here alone: what runs on them and what asks them
// lies in folders below, and is given this function.

import { Worker } from 'node:worker_threads'
import type { StartWorker } from '../../platform/idle-thread.js'

/** A thread that runs job-worker.ts. */
export const startWorker: StartWorker = (resourceLimits) =>
  new Worker(new URL('./job-worker.js', import.meta.url), { resourceLimits })

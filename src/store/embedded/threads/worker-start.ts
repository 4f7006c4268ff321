// How a thread of the engine is started, as those see it who ask for one: they say how large its heap may become and
// leave to the engine which file it runs.

import type { ResourceLimits, Worker } from 'node:worker_threads'

export type StartWorker = (limits: ResourceLimits) => Worker

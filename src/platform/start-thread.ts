// Starts worker threads. Where the file lies that all of them run first is known here alone: whoever asks for a thread
// is given a function, so that tests can bring another.

import { Worker } from 'node:worker_threads'
import type { StartWorker } from './idle-thread.js'

/** `text`: what it runs (`scripts/build.mjs`). */
export function threadStarter(text: string): StartWorker {
  return (resourceLimits) =>
    new Worker(new URL('./thread.cjs', import.meta.url), { argv: [text], resourceLimits })
}

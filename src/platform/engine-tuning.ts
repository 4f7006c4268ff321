// The ways in which the engine of the language is asked to work otherwise than it does by itself: flags of V8
// that may be set while it runs, and collections out of turn.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Worker } from 'node:worker_threads'

/**
 * The memory for young objects does not grow until `letYoungMemoryGrow`. It would while points are loaded, to 32 MB
 * that are not given back, although what a load makes lives in buffers outside of it; and the longer it takes to fill,
 * the more of those wait in it to be let go of.
 */
export function keepYoungMemorySmall(): void {
  isYoungMemorySmall = true
  setFlagsFromString('--semi-space-growth-factor=1')
}

let isYoungMemorySmall = false

/** For large answers: they are made of many young objects, and an eighth faster with room for them. */
export function letYoungMemoryGrow(): void {
  if (!isYoungMemorySmall) return
  isYoungMemorySmall = false
  setFlagsFromString('--semi-space-growth-factor=2')
}

/** For whoever starts a thread: its beginning, some time from now, puts the flags of memory back. */
export function startsThread(worker: Worker): void {
  if (!isYoungMemorySmall) return
  const again = () => {
    if (isYoungMemorySmall) keepYoungMemorySmall()
  }
  const timer = setInterval(again, 1)
  worker.once('online', () => {
    clearInterval(timer)
    again()
  })
  worker.once('exit', () => clearInterval(timer))
}

type Collect = (options?: { readonly type: 'minor' }) => void

let collect: Collect | undefined

/** Frees what was made lately and is not in use any more, as the engine does by itself when young memory is full. */
export function collectYoungMemory(): void {
  collect ??= exposedCollect()
  collect({ type: 'minor' })
}

/** Frees everything that is not in use any more: some 40 ms, in which nothing else is done. */
export function collectMemory(): void {
  collect ??= exposedCollect()
  collect()
}

/** Only contexts made while the flag is set have the function. Made when first needed: it takes 1.5 ms and 0.8 MB. */
function exposedCollect(): Collect {
  setFlagsFromString('--expose-gc')
  try {
    return runInNewContext('gc') as Collect
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}

/** Bytes of bytecode that a function runs before its compiling is considered. */
const budgetInHaste = '--interrupt-budget=1536'
/** A fifth of V8's own: what falls back because it meets something new, as the first real client, comes back soon. */
const budgetAfterwards = '--interrupt-budget=12288'

/**
 * While `work` runs, what is busy is compiled soon. Code that runs once for each request is otherwise compiled after
 * hundreds or thousands of them.
 */
export async function compiledSoon<T>(work: () => Promise<T>): Promise<T> {
  setFlagsFromString(budgetInHaste)
  try {
    return await work()
  } finally {
    setFlagsFromString(budgetAfterwards)
  }
}

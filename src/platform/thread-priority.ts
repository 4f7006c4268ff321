// Work in the background leaves the cores to the thread that serves: the kernel is told so, where it can be. Linux has
// a priority and a name per thread (`top -H`); elsewhere nothing changes.

import { readlinkSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/** A third of a usual thread where there is a shortage of cores, and all of a core where there is none. */
const backgroundPriority = 5
/** Of long queries, on whichever thread or process: a tenth of a usual thread, in the same way. */
export const lowPriority = 10

/** Of the thread that calls. */
export function lowerThreadPriority(priority = backgroundPriority): void {
  try {
    const thread = readlinkSync('/proc/thread-self').split('/').at(-1)
    setPriority(Number(thread), priority)
  } catch {
    // It only works better with it.
  }
}

/** Of the thread that calls, for whoever looks at the threads of the process; at most 15 bytes. */
export function nameThread(name: string): void {
  try {
    writeFileSync('/proc/thread-self/comm', name)
  } catch {
    // It is only not told.
  }
}

/** Of a process of ours, just after its start: its threads come later. What it does is a part of long queries. */
export function lowerProcessPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, lowPriority)
  } catch {
    // It has ended already, or may not be told.
  }
}

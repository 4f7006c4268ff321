// What V8 reserves for the code that it compiles. From Node 24 on it maps all of it at once, writable, so that the
// kernel counts it as data of the process although hardly a page is used: 256 MB on ARM. Node 22 mapped what it used.
// Programs of ours that are bounded by the kernel (`child-program.ts`) run on the same Node and get as much on top.

import { readFileSync } from 'node:fs'

/** Of this process, 0 where the system does not tell: only Linux counts it. */
export function codeRangeBytes(): number {
  if (process.platform !== 'linux') return 0
  try {
    return writableCodeBytes(readFileSync('/proc/self/maps', 'latin1'))
  } catch {
    return 0
  }
}

/** Private memory that may be written and executed, in `/proc/PID/maps`. */
export function writableCodeBytes(maps: string): number {
  let bytes = 0
  for (const [, from, to] of maps.matchAll(/^([\da-f]+)-([\da-f]+) rwxp /gm)) {
    bytes += Number.parseInt(to, 16) - Number.parseInt(from, 16)
  }
  return bytes
}

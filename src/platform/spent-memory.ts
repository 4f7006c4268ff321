// Sees to it that buffers nobody needs any more are given back soon. The pieces in which requests arrive are small
// objects with much memory behind them: the collector, which goes by the objects, would let tens of megabytes of them
// wait, and the process would keep the room. So they are counted, and after some megabytes it is asked to run.
//
// Moving a buffer to nowhere would give it back at once, but once a buffer has moved V8 no longer takes for granted
// that one stays where it is, and every access to a typed array is checked from then on: a twelfth of a large query.

import { collectYoungMemory } from './engine-tuning.js'

/**
 * So much may wait. A collection takes 0.4 ms in a service that loads; reading and parsing this much takes some 40.
 * With half of it, which is less than four requests of a megabyte bring at a time, what these still need was met twice,
 * was taken for old, and waited for long: 10 MB more.
 */
const waitingBytesMax = 6 << 20

let waitingBytes = 0

/** So many bytes of buffers that were made a moment ago are not needed any more. */
export function letGo(byteLength: number): void {
  waitingBytes += byteLength
  if (waitingBytes < waitingBytesMax) return
  waitingBytes = 0
  collectYoungMemory()
}

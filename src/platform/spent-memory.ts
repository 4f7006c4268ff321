// Gives the memory of a buffer back at once. Left to the garbage collector, the pieces in which requests
// arrive pile up to tens of megabytes between two collections, and the process keeps them.
//
// What is sent to a port that is closed belongs to nobody from then on, and goes.

import { MessageChannel } from 'node:worker_threads'

const { port1: nowhere, port2 } = new MessageChannel()
nowhere.close()
port2.close()

/** Whoever holds the bytes holds nothing afterwards. Bytes that share their memory with others are left alone. */
export function letGo(bytes: Uint8Array<ArrayBuffer>): void {
  if (bytes.length === bytes.buffer.byteLength) nowhere.postMessage(undefined, [bytes.buffer])
}

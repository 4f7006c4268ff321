// A connection to a server that may send only so much. What is behind an encrypted connection counts as it comes from
// the network.

import { Socket } from 'node:net'
import type { SqlLimits } from './sql-client.js'

/** What can arrive between two looks, even from this machine, fits into memory. */
const lookMs = 100

/** Not connected yet. */
export function watchedSocket({ receivedBytesMax }: SqlLimits): Socket {
  const socket = new Socket()
  const timer = setInterval(() => {
    if (socket.bytesRead <= receivedBytesMax) return
    socket.destroy(new Error(`the answer is larger than ${receivedBytesMax} bytes`))
  }, lookMs)
  socket.once('close', () => clearInterval(timer))
  return socket
}

/**
 * What the first way gives that leads there; the failure of the last where none does. A failure that the server itself
 * tells ends the search: another way would bring the same, and a password need not be tried twice.
 */
export async function firstThatWorks<T>(
  ways: readonly (() => Promise<T>)[],
  isFromServer: (error: unknown) => boolean,
): Promise<T> {
  let failure: unknown = new Error('no address to connect to')
  for (const way of ways) {
    try {
      return await way()
    } catch (error) {
      failure = error
      if (isFromServer(error)) break
    }
  }
  throw failure
}

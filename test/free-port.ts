// A port of loopback for a program that must be told its own. Not one that the system gives to whoever asks for any: in
// the moment until the program listens it would go to somebody's connection, and the program would end.

import { createServer } from 'node:net'

/** Below what the system gives away by itself (from 32768 on), and above what services have. */
const [first, count] = [16_000, 16_000]

export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * count)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

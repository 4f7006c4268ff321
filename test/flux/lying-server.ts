// A server that answers whoever comes with the same bytes, whatever was asked, and hangs up.

import { createServer, type Socket } from 'node:net'

export interface LyingServer {
  readonly port: number
  close(): void
}

export async function lyingServer(answer: Buffer, when: 'asked' | 'greets'): Promise<LyingServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    const speak = () => {
      socket.write(answer)
      setTimeout(() => socket.destroy(), 300)
    }
    if (when === 'greets') speak()
    else socket.once('data', speak)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { port, close }
}

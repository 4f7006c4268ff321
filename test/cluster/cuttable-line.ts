// A line to a server that can be cut: what is connected through it loses its connection, and new ones are refused until
// it is mended.

import { createConnection, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface CuttableLine {
  readonly port: number
  cut(): void
  mend(): void
}

/** `target`: a port, or where it is asked for with every connection. */
export async function lineTo(target: number | (() => number)): Promise<CuttableLine> {
  const sockets = new Set<Socket>()
  let isCut = false
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  }
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((near) => {
    keep(near)
    if (isCut) return near.destroy()
    const far = createConnection(typeof target === 'number' ? target : target(), '127.0.0.1')
    keep(far)
    near.pipe(far).pipe(near)
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    cut()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const mend = () => {
    isCut = false
  }
  return { port, cut, mend }
}

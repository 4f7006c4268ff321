// A line to a server that can be cut at once: from that moment on nobody at its other end hears anything, whatever the
// server still does.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export class CutLine {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(port: number) {
    this.#server = createServer((client) => {
      const server = connect(port, '127.0.0.1')
      for (const [socket, other] of [
        [client, server],
        [server, client],
      ]) {
        this.#sockets.add(socket)
        socket.on('error', () => other.destroy())
        socket.on('close', () => {
          this.#sockets.delete(socket)
          other.destroy()
        })
        socket.pipe(other)
      }
    })
  }

  static async to(port: number): Promise<CutLine> {
    const line = new CutLine(port)
    line.#server.listen(0, '127.0.0.1')
    await once(line.#server, 'listening')
    return line
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  cut(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }
}

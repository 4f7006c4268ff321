// A line between a node and a server that can fail: cut (connections break, new ones are refused), silent (what is sent
// goes nowhere, and nobody is told) or slow.

import { createConnection, createServer, type Server, type Socket } from 'node:net'

export type LineState = 'good' | 'cut' | 'silent' | 'slow'

const slowMs = 300

export class FaultyLine {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  state: LineState = 'good'

  private constructor(target: number) {
    this.#server = createServer((near) => this.#join(near, target))
  }

  static async to(target: number): Promise<FaultyLine> {
    const line = new FaultyLine(target)
    await new Promise<void>((resolve) => line.#server.listen(0, '127.0.0.1', resolve))
    return line
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  become(state: LineState): void {
    this.state = state
    if (state !== 'cut') return
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
  }

  #join(near: Socket, target: number): void {
    this.#keep(near)
    if (this.state === 'cut') return void near.resetAndDestroy()
    const far = createConnection(target, '127.0.0.1')
    this.#keep(far)
    this.#carry(near, far)
    this.#carry(far, near)
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.#sockets.delete(socket))
  }

  #carry(from: Socket, to: Socket): void {
    from.on('data', (bytes) => {
      if (this.state === 'silent') return
      if (this.state === 'slow') setTimeout(() => to.write(bytes), slowMs)
      else to.write(bytes)
    })
    from.on('close', () => to.destroy())
  }
}

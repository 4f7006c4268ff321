// Flight as the port hands it connections. The gRPC library is loaded with the first of them: it takes 70 ms
// and 12 MB, which a service that nobody asks over Flight has no use for.

import type { Socket } from 'node:net'
import type { Service } from '../service/service.js'
import type { FlightServer } from './flight-server.js'

export class Flight {
  readonly #service: Service
  #server: Promise<FlightServer> | undefined

  constructor(service: Service) {
    this.#service = service
  }

  /** Takes over a connection that speaks HTTP/2. */
  accept(socket: Socket): void {
    this.#server ??= this.#start()
    this.#server.then(
      (server) => {
        if (!socket.destroyed) server.accept(socket)
      },
      () => socket.destroy(),
    )
  }

  async #start(): Promise<FlightServer> {
    const { startFlight } = await import('./flight-server.js')
    return startFlight(this.#service)
  }

  /** Calls under way get so much time to finish. Resolves when all connections are closed. */
  async close(graceMs: number): Promise<void> {
    await (await this.#server)?.close(graceMs)
  }
}

// The gRPC server that speaks Flight. It listens nowhere itself: connections are handed to it by whoever
// owns the port, which HTTP shares.

import type { Socket } from 'node:net'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import type { Service } from '../service/service.js'
import { FlightCalls, flightMethods } from './flight-calls.js'

/** Bytes of a message from a client: tickets and parameters. */
const messageBytesMax = 16 * 1024 * 1024

/** After so long without a call a connection is closed; clients open another when they need one. */
const idleMsMax = 30 * 60 * 1000

/**
 * A connection is asked for a sign of life this often, and closed when none comes: a client that vanished without a
 * word would keep its query waiting for ever. How often clients ask is up to them: they all get their answer.
 */
const pingMs = 60 * 1000
const pingAnswerMsMax = 20 * 1000

export interface FlightServer {
  /** Takes over a connection that speaks HTTP/2. */
  accept(socket: Socket): void
  /** No new calls; those under way get so much time to finish. Resolves when all connections are closed. */
  close(graceMs: number): Promise<void>
}

export function startFlight(service: Service): FlightServer {
  const server = new Server({
    'grpc.max_receive_message_length': messageBytesMax,
    'grpc.max_connection_idle_ms': idleMsMax,
    'grpc.keepalive_time_ms': pingMs,
    'grpc.keepalive_timeout_ms': pingAnswerMsMax,
    // Its own figures about every connection are read by nobody.
    'grpc.enable_channelz': 0,
  })
  server.addService(flightMethods, new FlightCalls(service).implementation())
  const connections = server.createConnectionInjector(ServerCredentials.createInsecure())
  return {
    accept: (socket) => connections.injectConnection(socket),
    close: (graceMs) => closeServer(server, graceMs),
  }
}

function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const grace = setTimeout(() => server.forceShutdown(), graceMs)
    server.tryShutdown(() => {
      clearTimeout(grace)
      resolve()
    })
  })
}

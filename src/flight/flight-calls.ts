// The calls of arrow.flight.protocol.FlightService. Each reads its message, finds out who asks, and answers
// with bytes; calls that are not here are refused by gRPC itself as not implemented.

import {
  Metadata,
  type MethodDefinition,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type sendUnaryData,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { UserError } from '../errors.js'
import { encapsulatedSchema } from '../result/arrow-schema.js'
import type { Service } from '../service/service.js'
import { type AnswerCall, CallCancelled, sendParts } from './answer-stream.js'
import {
  type Answer,
  type AnswerScope,
  answerSchema,
  answerTo,
  earlySchema,
  fixedParts,
  queryParts,
  unboundSchema,
} from './answers.js'
import { type Caller, callFailure, type FlightQuery, identifyCaller } from './caller.js'
import { anyMessage, handleBytes, readCommand } from './commands.js'
import {
  bytesMessage,
  descriptorTypes,
  type FlightData,
  type FlightDescriptor,
  flightInfo,
  readAction,
  readDescriptor,
  readFlightData,
  readTicket,
} from './messages.js'
import { parameterSchema, readParameters, streamBytes } from './parameters.js'
import { MessageWriter } from './protobuf.js'
import { databaseHeader, handshakeCredential, headerText } from './request-headers.js'
import { durationTrailers } from './response-trailers.js'
import { callStatus } from './status.js'
import { commandTicket, readTicketContent } from './ticket.js'

type Unary = ServerUnaryCall<Buffer, Buffer>
type Duplex = ServerDuplexStream<Buffer, Buffer>

function method(
  name: string,
  streams: { request?: boolean; response?: boolean } = {},
): MethodDefinition<Buffer, Buffer> {
  const same = (bytes: Buffer) => bytes
  return {
    path: `/arrow.flight.protocol.FlightService/${name}`,
    requestStream: streams.request === true,
    responseStream: streams.response === true,
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  }
}

export const flightMethods = {
  Handshake: method('Handshake', { request: true, response: true }),
  GetFlightInfo: method('GetFlightInfo'),
  GetSchema: method('GetSchema'),
  DoGet: method('DoGet', { response: true }),
  DoPut: method('DoPut', { request: true, response: true }),
  DoAction: method('DoAction', { response: true }),
}

/** Bytes of all that is bound to one statement: it comes back in every ticket. */
const parameterBytesMax = 1024 * 1024

export class FlightCalls {
  readonly #service: Service

  constructor(service: Service) {
    this.#service = service
  }

  implementation(): UntypedServiceImplementation {
    return {
      Handshake: (call: Duplex) => this.#handshake(call),
      GetFlightInfo: (call: Unary, done: sendUnaryData<Buffer>) =>
        this.#answer(done, this.#flightInfo(call)),
      GetSchema: (call: Unary, done: sendUnaryData<Buffer>) =>
        this.#answer(done, this.#schema(call)),
      DoGet: (call: AnswerCall) => this.#stream(call, this.#doGet(call)),
      DoPut: (call: Duplex) => this.#stream(call, this.#doPut(call)),
      DoAction: (call: AnswerCall) => this.#stream(call, this.#doAction(call)),
    }
  }

  #answer(done: sendUnaryData<Buffer>, work: Promise<Buffer>): void {
    work.then(
      (bytes) => done(null, bytes),
      (error) => done(callStatus(callFailure(this.#service, error))),
    )
  }

  /** What the work gives goes behind the answer. */
  #stream(call: AnswerCall | Duplex, work: Promise<Metadata | undefined>): void {
    work.then(
      (trailers) => call.end(trailers),
      (error) => {
        if (error instanceof CallCancelled || call.cancelled) return
        call.emit('error', callStatus(callFailure(this.#service, error)))
      },
    )
  }

  /** Version and payload come back as they are. */
  #handshake(call: Duplex): void {
    const credential = handshakeCredential(call.metadata)
    const headers = new Metadata()
    if (credential !== undefined) headers.set('authorization', credential)
    call.sendMetadata(headers)
    call.on('data', (bytes: Buffer) => call.write(bytes))
    call.on('end', () => call.end())
  }

  #caller(call: Pick<Unary, 'metadata' | 'getPeer'>): Promise<Caller> {
    // Address and port: the next connection has another port.
    const address = call.getPeer().replace(/:\d+$/, '')
    return identifyCaller(this.#service, headerText(call.metadata, 'authorization'), address)
  }

  async #scope(call: Unary | AnswerCall | Duplex): Promise<AnswerScope> {
    const caller = await this.#caller(call)
    return { caller, database: databaseHeader(call.metadata), metadata: call.metadata }
  }

  async #flightInfo(call: Unary): Promise<Buffer> {
    const scope = await this.#scope(call)
    const descriptor = readDescriptor(call.request)
    const schema = await this.#describe(scope, descriptor, 'GetFlightInfo')
    const ticket = commandTicket(scope.database, descriptor.command)
    return flightInfo(schema, descriptor, ticket)
  }

  async #schema(call: Unary): Promise<Buffer> {
    const scope = await this.#scope(call)
    return bytesMessage(await this.#describe(scope, readDescriptor(call.request), 'GetSchema'))
  }

  async #describe(
    scope: AnswerScope,
    descriptor: FlightDescriptor,
    method: string,
  ): Promise<Uint8Array> {
    requireCommand(descriptor)
    const answer = await answerTo(scope, readCommand(descriptor.command), method)
    return encapsulatedSchema(await answerSchema(scope, answer))
  }

  async #doGet(call: AnswerCall): Promise<Metadata | undefined> {
    const caller = await this.#caller(call)
    const ticket = readTicketContent(readTicket(call.request))
    if (ticket.kind === 'query') return this.#sendQuery(call, caller, ticket.query)
    const { database, command } = ticket
    const scope = { caller, database, metadata: call.metadata }
    return this.#send(call, caller, await answerTo(scope, readCommand(command), 'DoGet'))
  }

  async #send(call: AnswerCall, caller: Caller, answer: Answer): Promise<Metadata | undefined> {
    if (answer.kind === 'query') return this.#sendQuery(call, caller, answer.query)
    await sendParts(call, fixedParts(answer.answer))
    return undefined
  }

  async #sendQuery(call: AnswerCall, caller: Caller, query: FlightQuery): Promise<Metadata> {
    const open = await caller.open(query)
    const onCancelled = () => open.stop(new UserError('invalid', 'query interrupted'))
    call.once('cancelled', onCancelled)
    if (call.cancelled) onCancelled()
    try {
      await sendParts(call, queryParts(open, query), {
        onSent: (bytes) => open.sent(bytes),
        schema: () => earlySchema(open, query),
      })
      return durationTrailers(open.durations())
    } finally {
      call.off('cancelled', onCancelled)
      open.end()
    }
  }

  async #doAction(call: AnswerCall): Promise<undefined> {
    const caller = await this.#caller(call)
    const { type, body } = readAction(call.request)
    if (type === 'ClosePreparedStatement') return
    if (type !== 'CreatePreparedStatement') {
      throw new UserError('not implemented', `Unsupported action type: ${type}`)
    }
    const { name, command } = readCommand(body)
    if (command.kind !== 'create-prepared-statement') {
      throw new UserError('invalid', `${name} cannot be used with DoAction ${type}`)
    }
    const scope = { caller, database: databaseHeader(call.metadata), metadata: call.metadata }
    const { query } = command
    const result = new MessageWriter()
      .bytes(1, handleBytes({ query, params: new Uint8Array(0) }))
      .bytes(2, encapsulatedSchema(await unboundSchema(scope, query)))
      .bytes(3, encapsulatedSchema(parameterSchema(query)))
      .finish()
    call.write(bytesMessage(anyMessage('ActionCreatePreparedStatementResult', result)))
  }

  /** Binds parameters: the answer is a new handle, which has them in it. */
  async #doPut(call: Duplex): Promise<undefined> {
    const messages = await readStream(call)
    await this.#caller(call)
    const first = messages[0]
    if (first === undefined) throw new UserError('invalid', 'DoPut without any message')
    const descriptor = readDescriptor(first.descriptor)
    requireCommand(descriptor)
    const { name, command } = readCommand(descriptor.command)
    if (command.kind === 'unsupported') {
      throw new UserError('not implemented', `${name} is not supported`)
    }
    if (command.kind !== 'prepared-statement') {
      throw new UserError('invalid', `${name} cannot be used with DoPut`)
    }
    const params = streamBytes(messages)
    await readParameters(params)
    const handle = handleBytes({ query: command.statement.query, params })
    call.write(bytesMessage(new MessageWriter().bytes(1, handle).finish()))
  }
}

function requireCommand({ type }: FlightDescriptor): void {
  if (type === descriptorTypes.command) return
  throw new UserError('invalid', 'only descriptors with a command (CMD) are supported')
}

/** By its events: to iterate over a call would close it also for the answer. */
function readStream(call: Duplex): Promise<FlightData[]> {
  return new Promise((resolve, reject) => {
    const messages: FlightData[] = []
    let bytes = 0
    call.on('data', (message: Buffer) => {
      bytes += message.length
      try {
        if (bytes > parameterBytesMax) throw tooManyParameters()
        messages.push(readFlightData(message))
      } catch (error) {
        call.pause()
        reject(error)
      }
    })
    call.once('end', () => resolve(messages))
    call.once('cancelled', () => reject(new CallCancelled()))
  })
}

function tooManyParameters(): UserError {
  const text = `the parameters are larger than ${parameterBytesMax} bytes`
  return new UserError('request too large', text)
}

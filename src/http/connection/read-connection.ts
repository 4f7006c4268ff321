// A connection of HTTP/1.1 whose requests resemble one another, as those of dashboards do: the same head but for the
// URL, again and again. Node's server gets them all until somebody who answered one offers to take such requests
// as they are. From then on one that has the same bytes behind its URL is not parsed again, and its answer
// is written to the connection. That is half of what Node takes for a request and an answer.
//
// Nothing here knows how to read a head: what Node made of the same bytes holds for them. Whatever is not the
// same, or does not come in one piece, or comes while something else is under way, goes to Node's server.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Lane, type LaneOwner, type TakeAgain } from './lane.js'
import { getWord, PassedRequest } from './passed-request.js'
import { type ReplyOwner, SocketReply } from './socket-reply.js'

interface KnownHead {
  /** All behind the URL. */
  readonly tail: Buffer
  readonly take: TakeAgain
}

const getBytes = Buffer.from(getWord).readUint32BE()

export class ReadConnection implements LaneOwner, ReplyOwner {
  readonly #socket: Socket
  readonly lane: Lane
  #known: KnownHead | undefined
  /** What Node's server has at hand. */
  #passed: PassedRequest | undefined
  /** Where requests begin is not known any more. */
  #isServersAlone = false
  #offered: TakeAgain | undefined
  /** What is answered here. */
  #reply: SocketReply | undefined
  #failure: Error | undefined
  /** What came meanwhile. */
  #waiting: Buffer | undefined
  #isLeft = false

  constructor(socket: Socket) {
    this.#socket = socket
    this.lane = new Lane(socket, this)
    socket.on('data', (chunk) => this.#onData(chunk))
    socket.on('end', () => this.#onEnd())
    socket.on('error', (error) => this.lane.destroy(error))
    socket.on('close', () => this.#onClose())
    socket.on('timeout', () => {
      // A query that takes its time is not a silent connection.
      if (this.#reply === undefined) this.lane.emit('timeout')
    })
  }

  /** The server tells of a request that it read from the lane. */
  onRequest(request: IncomingMessage, response: ServerResponse): void {
    const passed = this.#passed
    if (passed === undefined) return
    passed.begun(request)
    response.once('close', () => this.#onServerAnswered(passed))
  }

  #onServerAnswered(passed: PassedRequest): void {
    const take = this.#offered
    if (!passed.isWhole()) this.#isServersAlone = true
    else if (take !== undefined) {
      const tail = passed.tail()
      if (tail !== undefined) this.#known = { tail, take }
    }
    this.#passed = undefined
    this.#offered = undefined
  }

  offer(take: TakeAgain): void {
    this.#offered = take
  }

  takeFailure(): Error | undefined {
    const failure = this.#failure
    this.#failure = undefined
    return failure
  }

  onWanted(): void {
    if (this.#waiting === undefined) this.#socket.resume()
  }

  onLeft(): void {
    this.#isLeft = true
    if (this.#reply === undefined) this.#socket.destroy()
  }

  #onData(chunk: Buffer): void {
    if (this.#reply !== undefined) this.#wait(chunk)
    else if (this.#isServersAlone) this.#push(chunk)
    else if (this.#passed !== undefined || !this.#take(chunk)) this.#pass(chunk)
  }

  #wait(chunk: Buffer): void {
    this.#waiting = this.#waiting === undefined ? chunk : Buffer.concat([this.#waiting, chunk])
    this.#socket.pause()
  }

  #pass(chunk: Buffer): void {
    if (this.#passed === undefined) this.#passed = new PassedRequest(chunk)
    else this.#passed.add(chunk.length)
    this.#push(chunk)
  }

  #push(chunk: Buffer): void {
    if (!this.lane.push(chunk)) this.#socket.pause()
  }

  #take(chunk: Buffer): boolean {
    if (this.#known === undefined) return false
    const { tail, take } = this.#known
    const urlEnd = chunk.length - tail.length
    if (urlEnd <= getWord.length || chunk.readUint32BE() !== getBytes) return false
    if (chunk.compare(tail, 0, tail.length, urlEnd) !== 0) return false
    const url = chunk.toString('latin1', getWord.length, urlEnd)
    if (!isOneWord(url)) return false
    this.#reply = new SocketReply(chunk, this.#socket, this)
    if (take(url, this.#reply)) return true
    this.#reply = undefined
    return false
  }

  onAnswered(): void {
    if (this.#socket.writableNeedDrain) this.#socket.once('drain', () => this.#goOn())
    else this.#goOn()
  }

  #goOn(): void {
    this.#reply = undefined
    if (this.#isLeft) this.#socket.end()
    else this.#takeWaiting()
  }

  onRefused(error: Error): void {
    const request = this.#reply?.request
    this.#reply = undefined
    // A server that has left would not answer any more.
    if (this.#isLeft) this.#socket.destroy()
    if (request === undefined || this.#socket.destroyed) return
    this.#failure = error
    this.#pass(request)
    this.#takeWaiting()
  }

  #takeWaiting(): void {
    const waiting = this.#waiting
    if (waiting === undefined) return
    this.#waiting = undefined
    this.#socket.resume()
    this.#onData(waiting)
  }

  #onEnd(): void {
    if (this.#reply === undefined) this.lane.push(null)
    // Nobody waits for an answer who has gone.
    else this.#socket.end()
  }

  #onClose(): void {
    this.#reply?.gone()
    this.lane.destroy()
  }
}

/** Nothing that could end it, or begin another line. */
function isOneWord(url: string): boolean {
  return /^[!-~]+$/.test(url)
}

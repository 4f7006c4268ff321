// A running server as the commands see it that manage one: sends JSON with the admin token, answers
// with JSON, and turns refusals and a server that is not there into messages for a person.

import type { Flags } from '../config.js'
import { UserError } from '../errors.js'
import { flagOrVariable } from './arguments.js'

export interface RemoteRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface RemoteWrite {
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly text: string
}

export class RemoteServer {
  readonly #base: URL
  readonly #token: string

  /** Throws UserError where the flags do not say where and as whom. */
  constructor(flags: Flags) {
    const host = flagOrVariable(flags, 'host') ?? 'http://127.0.0.1:8086'
    if (!/^https?:\/\//.test(host) || !URL.canParse(host)) {
      throw new UserError(
        'invalid',
        `flag --host: "${host}" is not a URL such as http://127.0.0.1:8086`,
      )
    }
    const token = flagOrVariable(flags, 'token')
    if (token === undefined) throw new UserError('invalid', 'flag --token is required')
    this.#base = new URL(host.endsWith('/') ? host : `${host}/`)
    this.#token = token
  }

  async ask({ method, path, query = {}, body }: RemoteRequest): Promise<unknown> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const { response, text } = await this.#send(path, query, { method, ...sent })
    const answer = parsed(text)
    if (response.ok) return answer
    throw new Error(refusalText(response.status, answer))
  }

  /** Line protocol; what is refused is the caller's to judge. */
  async write({ path, query, text }: RemoteWrite): Promise<{ status: number; message: string }> {
    const answered = await this.#send(path, query, { method: 'POST', body: text })
    const { status } = answered.response
    return { status, message: status === 204 ? '' : refusalText(status, parsed(answered.text)) }
  }

  /** An answer as it comes. */
  async stream({ method, path, body }: RemoteRequest): Promise<AsyncIterable<Uint8Array>> {
    const response = await this.#fetch(path, {}, { method, body: JSON.stringify(body) })
    if (response.ok && response.body !== null) return response.body
    throw new Error(refusalText(response.status, parsed(await response.text())))
  }

  async #send(path: string, query: Readonly<Record<string, string>>, init: RequestInit) {
    const response = await this.#fetch(path, query, init)
    try {
      return { response, text: await response.text() }
    } catch (error) {
      throw this.#unreachable(error)
    }
  }

  async #fetch(
    path: string,
    query: Readonly<Record<string, string>>,
    init: RequestInit,
  ): Promise<Response> {
    const url = new URL(path.replace(/^\//, ''), this.#base)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const authorization = `Bearer ${this.#token}`
    try {
      return await fetch(url, { ...init, headers: { authorization } })
    } catch (error) {
      throw this.#unreachable(error)
    }
  }

  #unreachable(error: unknown): Error {
    return new Error(`cannot reach ${this.#base.origin}: ${reasonOf(error)}`)
  }
}

/** `fetch failed` says nothing; what it failed of stands behind it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function refusalText(status: number, answer: unknown): string {
  const { message, error } = (answer ?? {}) as { message?: unknown; error?: unknown }
  const told = message ?? error
  if (typeof told === 'string') return told
  const hint = status === 404 ? ' (does it serve the cluster variant?)' : ''
  return `the server answered with status ${status}${hint}`
}

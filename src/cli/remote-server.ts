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
    const url = new URL(path.replace(/^\//, ''), this.#base)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const authorization = `Bearer ${this.#token}`
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    let text: string
    let response: Response
    try {
      response = await fetch(url, { method, headers: { authorization }, ...sent })
      text = await response.text()
    } catch (error) {
      throw new Error(`cannot reach ${this.#base.origin}: ${reasonOf(error)}`)
    }
    const answer = parsed(text)
    if (response.ok) return answer
    throw new Error(refusalText(response.status, answer))
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

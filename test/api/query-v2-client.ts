// Asks `/api/v2/query` over real HTTP, with a bare script or with JSON.

import { type Answer, type Installation, type SendOptions, send } from './harness.js'
import { open } from './query-v1-client.js'

type Place = Pick<Installation, 'url' | 'token'>

/** A bare script. */
export function askFlux(
  { url, token }: Place,
  script: string,
  { query = '', headers = {}, ...rest }: SendOptions & { readonly query?: string } = {},
): Promise<Answer> {
  return send(`${url}/api/v2/query${query}`, {
    method: 'POST',
    token,
    body: script,
    headers: { 'content-type': 'application/vnd.flux', ...headers },
    ...rest,
  })
}

/** A request as JSON, given as a value or as text. */
export function askJson(
  { url, token }: Place,
  body: unknown,
  { query = '', headers = {}, ...rest }: SendOptions & { readonly query?: string } = {},
): Promise<Answer> {
  return send(`${url}/api/v2/query${query}`, {
    method: 'POST',
    token,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
    ...rest,
  })
}

/** An answer of which nothing is read yet. */
export function openFlux(
  { url, token }: Place,
  script: string,
  headers: Readonly<Record<string, string>> = {},
) {
  return open(`${url}/api/v2/query`, {
    method: 'POST',
    headers: {
      authorization: `Token ${token}`,
      'content-type': 'application/vnd.flux',
      ...headers,
    },
    body: script,
  })
}

/** Lines with the line ends that CSV has here. */
export function csv(...lines: string[]): string {
  return lines.map((line) => `${line}\r\n`).join('')
}

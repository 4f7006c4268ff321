// Asks `/query` over real HTTP and shows the answer as it came, byte for byte.

import {
  type Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http'

export interface RawAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  readonly text: string
}

export interface Asking {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Whose connections to use; by default each request has one of its own. */
  readonly agent?: Agent
}

export async function ask(url: string, asking: Asking = {}): Promise<RawAnswer> {
  const response = await open(url, asking)
  const bytes = await readAll(response)
  const { statusCode = 0, headers } = response
  return { status: statusCode, headers, bytes, text: bytes.toString() }
}

/** Resolves with an answer of which nothing is read yet. */
export function open(
  url: string,
  asking: Asking = {},
): Promise<IncomingMessage & { sent: ClientRequest }> {
  const { method = 'GET', headers = {}, body, agent = false } = asking
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers, agent })
    sent.on('response', (response) => resolve(Object.assign(response, { sent })))
    sent.on('error', reject)
    sent.end(body)
  })
}

export function readAll(response: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('error', reject)
    response.on('end', () => resolve(Buffer.concat(chunks)))
  })
}

/** `/query` with these parameters. */
export function queryUrl(url: string, parameters: Readonly<Record<string, string>>): string {
  return `${url}/query?${new URLSearchParams(parameters)}`
}

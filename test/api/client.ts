// Talks to servers over real HTTP, and gives tests folders of their own. Nothing of the program is loaded for it: tests
// of programs that run elsewhere need no more than this.

import { mkdtempSync, rmSync } from 'node:fs'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { onTestFinished } from 'vitest'

export const adminToken = 'admin-token-of-the-tests'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any
}

export interface SendOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly token?: string
  /** Sends the body in pieces without a Content-Length. */
  readonly chunked?: boolean
}

/** node:http instead of fetch: it sends what it is told to, and nothing more. */
export function send(url: string, options: SendOptions = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body, token, chunked = false } = options
  const authorization = token === undefined ? {} : { authorization: `Token ${token}` }
  const length = body === undefined || chunked ? {} : { 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers: { ...authorization, ...length, ...headers } })
    sent.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const isJson = /\bjson\b/.test(response.headers['content-type'] ?? '')
        const json = isJson && text !== '' ? JSON.parse(text) : undefined
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json })
      })
    })
    sent.on('error', reject)
    if (chunked && body !== undefined) sendPieces(sent, Buffer.from(body))
    else sent.end(body)
  })
}

function sendPieces(sent: ReturnType<typeof httpRequest>, body: Buffer): void {
  const pieceBytes = 16 * 1024
  for (let at = 0; at < body.length; at += pieceBytes) {
    sent.write(body.subarray(at, at + pieceBytes))
  }
  sent.end()
}

/** Gone when the test ends, after the servers that were started later. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(`${tmpdir()}/millrace-api-`)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

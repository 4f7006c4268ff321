// The built program in a process of its own, for proofs that take longer than a test: started on a free port of this
// machine, asked over HTTP, ended in order or killed. Needs no test runner.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'

/** Where the tests are run from, and the commands of package.json. */
export const program = join(process.cwd(), 'dist/main.js')

export interface Answer {
  readonly status: number
  readonly text: string
}

export interface Ask {
  readonly method?: string
  readonly token?: string | undefined
  readonly body?: string | Uint8Array | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** Breaks off after so long, whatever has come. */
  readonly abortAfterMs?: number
}

/** The service is gone, or broke off. */
export class Gone extends Error {}

export function ask(url: string, options: Ask = {}): Promise<Answer> {
  const { method = 'GET', token, body, headers = {}, abortAfterMs } = options
  const authorization = token === undefined ? {} : { authorization: `Token ${token}` }
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(new Gone(error.message))
    const sent = request(url, { method, headers: { ...authorization, ...length, ...headers } })
    if (abortAfterMs !== undefined) {
      const timer = setTimeout(() => sent.destroy(), abortAfterMs)
      sent.on('close', () => clearTimeout(timer))
    }
    sent.on('error', fail)
    sent.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', fail)
      response.on('aborted', () => fail(new Error('aborted')))
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() })
      })
    })
    sent.end(body)
  })
}

export class ServiceProcess {
  readonly child: ChildProcess
  readonly #ended: Promise<unknown>
  #output = ''

  constructor(dataDir: string, flags: readonly string[] = []) {
    const args = ['serve', '--http-address', '127.0.0.1:0', '--data-dir', dataDir, ...flags]
    this.child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#output = (this.#output + chunk).slice(-20_000)
      })
    }
    this.#ended = once(this.child, 'close')
  }

  /** The end of what it printed. */
  get output(): string {
    return this.#output
  }

  /** Resolves with where it listens; throws with what it printed where it ends before. */
  async listening(): Promise<string> {
    const found = () => /Listening on (http:\S+)\n/.exec(this.#output)?.[1]
    return new Promise((resolve, reject) => {
      const look = () => {
        const url = found()
        if (url !== undefined) resolve(url)
      }
      look()
      this.child.stdout?.on('data', look)
      this.#ended.then(() => reject(new Error(`the service ended: ${this.#output}`)))
    })
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    this.child.kill(signal)
    await this.#ended
    return this.child.exitCode
  }

  /** Figures of the kernel about the process. */
  figures(): { residentMb: number; threads: number; handles: number; children: number } {
    const { pid } = this.child
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1])
    const handles = readdirSync(`/proc/${pid}/fd`).length
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) => {
      const list = readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim()
      return list === '' ? [] : list.split(' ')
    })
    return {
      residentMb: Math.round(of('VmRSS') / 1024),
      threads: of('Threads'),
      handles,
      children: children.length,
    }
  }
}

/** Of a new installation: its operator's token. */
export async function setUp(url: string): Promise<{ token: string; orgId: string }> {
  const body = { username: 'u', org: 'o', bucket: 'b', retentionPeriodSeconds: 0 }
  const answer = await ask(`${url}/api/v2/setup`, { method: 'POST', body: JSON.stringify(body) })
  if (answer.status !== 201) throw new Error(`set-up: ${answer.status} ${answer.text}`)
  const { auth, org } = JSON.parse(answer.text)
  return { token: auth.token, orgId: org.id }
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

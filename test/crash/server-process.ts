// The built program as a process of its own, for tests that kill it, and writers that keep it busy.
// Every process started here is ended with its test.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { send } from '../api/client.js'

const program = new URL('../../dist/main.js', import.meta.url).pathname

export interface ServerProcess {
  readonly url: string
  /** Ends it by a signal; resolves with the exit code, null if the signal itself ended it. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>
}

export interface Outcome {
  readonly code: number | null
  readonly output: string
}

function launch(
  dataDir: string,
  flags: readonly string[] = [],
): { child: ChildProcess; output: () => string } {
  const args = ['serve', '--http-address', '127.0.0.1:0', '--data-dir', dataDir, ...flags]
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      text += chunk
    })
  }
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return { child, output: () => text }
}

/** Resolves when it listens; throws with what it printed when it ends before. */
export async function serve(dataDir: string, flags?: readonly string[]): Promise<ServerProcess> {
  const { child, output } = launch(dataDir, flags)
  const ended = once(child, 'close')
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const match = /Listening on (http:\S+)\n/.exec(output())
      if (match !== null) resolve(match[1])
    })
    ended.then(([code]) => reject(new Error(`the server ended with ${code}: ${output()}`)))
  })
  return {
    url,
    async end(signal) {
      child.kill(signal)
      const [code] = await ended
      return code
    },
  }
}

/** Starts one that is expected to give up by itself. */
export async function serveInVain(dataDir: string): Promise<Outcome> {
  const { child, output } = launch(dataDir)
  const [code] = await once(child, 'close')
  return { code, output: output() }
}

/** Sets a new installation up; returns its token. */
export async function setUp(url: string): Promise<string> {
  const body = { username: 'u', org: 'o', bucket: 'b', retentionPeriodSeconds: 0 }
  const answer = await send(`${url}/api/v2/setup`, { method: 'POST', body: JSON.stringify(body) })
  return answer.json.auth.token
}

export async function exported(url: string, token: string): Promise<string[]> {
  const answer = await send(`${url}/debug/export?bucket=b`, { token })
  if (answer.status !== 200) throw new Error(`export: ${answer.status} ${answer.text}`)
  return answer.text.split('\n').filter((line) => line !== '')
}

export async function metricOf(url: string, name: string): Promise<number> {
  const { text } = await send(`${url}/metrics`)
  const match = new RegExp(`^millrace_${name} (\\d+)$`, 'm').exec(text)
  if (match === null) throw new Error(`no metric ${name}`)
  return Number(match[1])
}

const rowsPerBatch = 40
const slots = 5
/** Long strings fill memtables with few points: flushes and merges come within a second. */
const stringBytes = 8000

/**
 * Writes batch after batch, one at a time, to points of its own: five sets of points in turn, each
 * batch overwriting all points of one. So every set shows the last batch that reached it, as a whole.
 */
export class BusyWriter {
  readonly #name: string
  readonly #token: string
  /** By slot: the batch that must be there, and the one that was never answered. */
  readonly #kept = new Map<number, number>()
  readonly #unanswered = new Map<number, number>()
  #number = 0
  acknowledgedCount = 0

  constructor(name: string, token: string) {
    this.#name = name
    this.#token = token
  }

  /** Until the server is gone. */
  async writeUntilGone(url: string): Promise<void> {
    for (;;) {
      const number = ++this.#number
      const slot = number % slots
      this.#unanswered.set(slot, number)
      const target = `${url}/api/v2/write?org=o&bucket=b`
      const body = this.#lines(number).join('\n')
      try {
        const answer = await send(target, { method: 'POST', token: this.#token, body })
        // A server that stops says so; whether the batch is in is open then, as without an answer.
        if (answer.status === 503) continue
        if (answer.status !== 204) throw new Error(`${answer.status} ${answer.text}`)
        this.acknowledgedCount++
        this.#kept.set(slot, number)
        this.#unanswered.delete(slot)
      } catch (error) {
        if ('code' in (error as Error)) return
        throw error
      }
    }
  }

  #lines(number: number): string[] {
    return Array.from({ length: rowsPerBatch }, (_, row) => {
      // Each its own: a memtable holds equal strings once.
      const text = `${number}-${row}-`.padEnd(stringBytes, this.#name)
      return `m,r=${row},w=${this.#name} n=${number}i,s="${text}" ${1000 + (number % slots)}`
    })
  }

  /** Takes its own lines out of an export and says what is wrong with them. */
  check(lines: readonly string[]): string[] {
    const wrong: string[] = []
    const own = lines.filter((line) => line.includes(`,w=${this.#name} `))
    for (let slot = 0; slot < slots; slot++) {
      const found = own.filter((line) => line.endsWith(` ${1000 + slot}`)).sort()
      const choices = [this.#unanswered.get(slot), this.#kept.get(slot)]
      const number = choices.find((choice) => {
        if (choice === undefined) return found.length === 0
        const wanted = this.#lines(choice).sort()
        return wanted.length === found.length && wanted.every((line, i) => line === found[i])
      })
      if (number !== undefined) this.#kept.set(slot, number)
      else if (found.length > 0 || this.#kept.has(slot)) {
        const numbers = new Set(found.map((line) => / n=(\d+)i/.exec(line)?.[1]))
        wrong.push(`${this.#name}/${slot}: not ${choices.join(' or ')}: ${[...numbers].join()}`)
      }
      this.#unanswered.delete(slot)
    }
    return wrong
  }
}

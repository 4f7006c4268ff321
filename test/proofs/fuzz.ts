// Fuzzers for every parser and every door, in turns until the time is over: `npm run fuzz -- --minutes N --only NAME`.
// A case must be read or refused as it should, within a stretch and with memory that are bounded whatever comes. What
// is found becomes a file of `test/corpus/fuzz/NAME/`, which every later run, and the suite, begins with.

import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seededRandom } from '../../src/platform/random.js'
import { doors } from './fuzz-doors.js'
import { imports } from './fuzz-imports.js'
import { type Fuzzer, parsers as ownParsers } from './fuzz-parsers.js'
import { Mutations } from './mutations.js'
import { ask, ServiceProcess, setUp } from './service-process.js'

export interface FuzzOptions {
  readonly minutes: number
  readonly seed: number
  readonly only?: string | undefined
  /** Where findings go. */
  readonly corpus?: string
  readonly tell?: (text: string) => void
}

const parsers = { ...ownParsers, ...imports }

interface Figure {
  cases: number
  /** Of the processor's time, of one case, where it runs in this process. */
  longestMs: number
}

export interface FuzzReport {
  readonly figures: Readonly<Record<string, Figure>>
  readonly residentMb: { readonly own: number; readonly service: number }
  readonly wrong: readonly string[]
}

/** Inputs have at most 16 KB; a tenth of it is what the slowest parser takes on a slow machine. */
const stretchMsMax = 1000
/** Files are read by whoever moves into the service, one damaged block after the other. */
const fileStretchMsMax = 10_000
const files = new Set(['tsm', 'wal', 'tsm-blocks'])
const residentMbMax = 700
/** A case of a parser takes a tenth of what a request does. */
const casesPerTurn = { parser: 500, door: 50 }

export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-fuzz-'))
  const service = new ServiceProcess(folder)
  try {
    return await new Fuzz(options, service).run()
  } finally {
    await service.end('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

class Fuzz {
  readonly #options: FuzzOptions
  readonly #service: ServiceProcess
  readonly #corpus: string
  readonly #figures: Record<string, Figure> = {}
  readonly #wrong: string[] = []

  constructor(options: FuzzOptions, service: ServiceProcess) {
    this.#options = options
    this.#service = service
    this.#corpus = options.corpus ?? join(process.cwd(), 'test/corpus/fuzz')
  }

  async run(): Promise<FuzzReport> {
    const { minutes, seed, only, tell } = this.#options
    const all = Object.entries({ ...parsers, ...doors(await this.#door()) })
    const chosen = all.filter(([name]) => only === undefined || name === only)
    if (chosen.length === 0) throw new Error(`no fuzzer is named ${only}`)
    for (const [name, fuzzer] of chosen) {
      this.#figures[name] = { cases: 0, longestMs: 0 }
      for (const input of this.#found(name)) await this.#try(name, fuzzer, input)
    }
    let toldAt = Date.now()
    // The service has started, and what was found before has been tried: slow machines get as far as others.
    const endAt = toldAt + minutes * 60_000
    const random = seededRandom(seed)
    const sources = chosen.map(([, { examples, words }]) => {
      return new Mutations(
        random,
        examples.map((one) => Buffer.from(one as string)),
        words,
      )
    })
    for (let round = 1; Date.now() < endAt; round++) {
      for (const [i, [name, fuzzer]] of chosen.entries()) {
        const full = name in parsers ? casesPerTurn.parser : casesPerTurn.door
        // Short at first: a run of seconds too gets to everybody.
        const cases = Math.ceil(full * Math.min(1, round ** 2 / 100))
        for (let left = cases; left > 0 && Date.now() < endAt; left--) {
          await this.#try(name, fuzzer, sources[i].next())
        }
      }
      if (Date.now() - toldAt > 60_000) {
        toldAt = Date.now()
        tell?.(`${JSON.stringify(this.#figures)} ${this.#wrong.length} findings`)
      }
    }
    return { figures: this.#figures, residentMb: this.#memory(), wrong: this.#wrong.slice(0, 50) }
  }

  async #door() {
    const url = await this.#service.listening()
    const { token } = await setUp(url)
    const target = `${url}/api/v2/write?org=o&bucket=b`
    await ask(target, { method: 'POST', token, body: 'm,t=a f=1,i=2i,s="x",b=true 1\nm,t=b f=2 2' })
    return { url, token }
  }

  /** What was found before. */
  #found(name: string): Buffer[] {
    const folder = join(this.#corpus, name)
    if (!existsSync(folder)) return []
    return readdirSync(folder).map((file) => readFileSync(join(folder, file)))
  }

  async #try(name: string, fuzzer: Fuzzer, input: Buffer): Promise<void> {
    const figure = this.#figures[name]
    figure.cases++
    const before = process.cpuUsage()
    try {
      await fuzzer.run(input)
      if (this.#service.child.exitCode !== null) throw new Error('the service has ended')
    } catch (error) {
      return this.#keep(name, input, (error as Error).stack ?? String(error))
    }
    const { user, system } = process.cpuUsage(before)
    const ms = Math.round((user + system) / 1000)
    figure.longestMs = Math.max(figure.longestMs, ms)
    const msMax = files.has(name) ? fileStretchMsMax : stretchMsMax
    if (ms > msMax && name in parsers) this.#keep(name, input, `took ${ms} ms`)
    if (figure.cases % 500 === 0) this.#checkMemory(name, input)
  }

  #memory() {
    const own = Math.round(process.memoryUsage().rss / 2 ** 20)
    return { own, service: this.#service.figures().residentMb }
  }

  #checkMemory(name: string, input: Buffer): void {
    const { own, service } = this.#memory()
    if (Math.max(own, service) > residentMbMax) {
      this.#keep(name, input, `${own} MB here, ${service} MB in the service`)
    }
  }

  #keep(name: string, input: Buffer, text: string): void {
    const file = `${createHash('sha1').update(input).digest('hex').slice(0, 12)}.bin`
    mkdirSync(join(this.#corpus, name), { recursive: true })
    writeFileSync(join(this.#corpus, name, file), input)
    this.#wrong.push(`${name}/${file}: ${text}\n${this.#service.output.slice(-1000)}`)
    this.#options.tell?.(`${name}/${file}: ${text.slice(0, 400)}`)
  }
}

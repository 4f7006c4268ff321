// The real program under SIGKILL, again and again on one folder, by people who use it at the same time: while it
// works, while it flushes and merges, while it starts, while it stops and while it gives a backup, which is then
// restored. After every start all that was answered is there, all that was taken away is gone, every token is as it
// was. `npm run torture -- --kills N [--seed N]`.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seededRandom } from '../../src/platform/random.js'
import { ask, pause, ServiceProcess, setUp } from './service-process.js'
import {
  type Actor,
  Asker,
  actUntilGone,
  Databases,
  DeletedPoints,
  type Place,
  SequenceWriter,
  Tokens,
} from './torture-actors.js'
import { TortureBackups } from './torture-backups.js'

export interface TortureOptions {
  readonly kills: number
  readonly seed: number
  readonly tell?: (text: string) => void
}

export interface TortureReport {
  readonly kills: Readonly<Record<Moment, number>>
  readonly flushes: number
  readonly merges: number
  /** Acknowledged changes by who made them. */
  readonly done: Readonly<Record<string, number>>
}

type Moment = 'at work' | 'starting' | 'stopping' | 'backing up'
const moments: readonly Moment[] = [
  'at work',
  'at work',
  'at work',
  'starting',
  'stopping',
  'backing up',
]

export async function torture(options: TortureOptions): Promise<TortureReport> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-torture-'))
  const run = new Torture(folder, options)
  try {
    return await run.run()
  } finally {
    await run.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

class Torture {
  readonly #folder: string
  readonly #options: TortureOptions
  readonly #actors: readonly Actor[]
  readonly #kills = { 'at work': 0, starting: 0, stopping: 0, 'backing up': 0 }
  readonly #backups = new TortureBackups()
  #service: ServiceProcess
  #flushes = 0
  #merges = 0

  constructor(folder: string, options: TortureOptions) {
    this.#folder = folder
    this.#options = options
    const random = seededRandom(options.seed + 1)
    this.#actors = [
      new SequenceWriter('a'),
      new SequenceWriter('b'),
      new DeletedPoints(random),
      new Databases(random),
      new Tokens(random),
      new Asker(random),
    ]
    this.#service = new ServiceProcess(folder)
  }

  async run(): Promise<TortureReport> {
    const { kills, seed, tell } = this.#options
    const random = seededRandom(seed)
    let url = await this.#service.listening()
    const { token, orgId } = await setUp(url)
    for (let kill = 1; kill <= kills; kill++) {
      const place: Place = { url, token, orgId }
      const acting = Promise.all(this.#actors.map((actor) => actUntilGone(actor, place)))
      const moment = random.pick(moments)
      const workMs = random.below(10) === 0 ? 4000 : 50 + random.below(900)
      await Promise.race([pause(workMs), acting])
      if (moment === 'at work') await this.#count(url)
      const backupMs = random.below(1200)
      const backup =
        moment === 'backing up' ? await this.#backups.beginAndWait(place, backupMs) : undefined
      await this.#kill(moment, random.below(60), random.below(500))
      await acting
      await backup?.()
      this.#kills[moment]++
      url = await this.#startAndCheck(token, orgId, kill)
      if (moment === 'backing up') {
        await this.#restoreAndCheck({ url, token, orgId }, backupMs, kill)
      }
      if (kill % 10 === 0) tell?.(`${kill} kills, ${this.#flushes} flushes, ${this.#merges} merges`)
    }
    const done = Object.fromEntries(this.#actors.map((actor) => [actor.name, actor.doneCount]))
    return { kills: this.#kills, flushes: this.#flushes, merges: this.#merges, done }
  }

  async end(): Promise<void> {
    if (this.#service.child.exitCode === null && this.#service.child.signalCode === null) {
      await this.#service.end('SIGKILL')
    }
    this.#backups.remove()
  }

  async #kill(moment: Moment, stoppingMs: number, startingMs: number): Promise<void> {
    if (moment === 'stopping') {
      this.#service.child.kill('SIGTERM')
      await pause(stoppingMs)
    }
    await this.#service.end('SIGKILL')
    if (moment !== 'starting') return
    this.#service = new ServiceProcess(this.#folder)
    await pause(startingMs)
    await this.#service.end('SIGKILL')
  }

  async #startAndCheck(token: string, orgId: string, kill: number): Promise<string> {
    this.#service = new ServiceProcess(this.#folder)
    const url = await this.#service.listening()
    const wrong = await this.#wrongAt({ url, token, orgId })
    const aside = readdirSync(join(this.#folder, 'store')).filter((name) => name === 'set-aside')
    if (aside.length > 0) wrong.push('files were set aside')
    this.#mustBeRight(wrong, `after kill ${kill}`, this.#service)
    return url
  }

  /** Nobody is at work: what is restored is what is served. */
  async #restoreAndCheck(place: Place, killAfterMs: number, kill: number): Promise<void> {
    const service = await this.#backups.restored(place, killAfterMs)
    try {
      const url = await service.listening()
      this.#mustBeRight(await this.#wrongAt({ ...place, url }), `restored at kill ${kill}`, service)
    } finally {
      await service.end('SIGKILL')
    }
  }

  async #wrongAt(place: Place): Promise<string[]> {
    const wrong: string[] = []
    for (const actor of this.#actors) {
      try {
        wrong.push(...(await actor.check(place)))
      } catch (error) {
        wrong.push(`${actor.name}: ${(error as Error).message}`)
      }
    }
    const damaged = await metricOf(place.url, 'store_damaged_places')
    if (damaged !== 0) wrong.push(`${damaged} damaged places`)
    return wrong
  }

  #mustBeRight(wrong: readonly string[], when: string, service: ServiceProcess): void {
    if (wrong.length === 0) return
    const text = `${when} of seed ${this.#options.seed}: ${wrong.join('; ')}`
    throw new Error(`${text}\n${service.output}`)
  }

  async #count(url: string): Promise<void> {
    this.#flushes += await metricOf(url, 'store_flushes_total')
    this.#merges += await metricOf(url, 'store_compactions_total')
  }
}

async function metricOf(url: string, name: string): Promise<number> {
  const { text } = await ask(`${url}/metrics`)
  const match = new RegExp(`^millrace_${name} (\\d+)$`, 'm').exec(text)
  if (match === null) throw new Error(`no metric ${name}`)
  return Number(match[1])
}

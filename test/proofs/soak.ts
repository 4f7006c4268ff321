// The real program under everything at once for as long as one likes: memory, handles, threads and processes stay
// where they are, and no answer is a fault of the service's own. `npm run soak -- --minutes N`.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seededRandom } from '../../src/platform/random.js'
import { pause, ServiceProcess, setUp } from './service-process.js'
import { actors, type Soaked } from './soak-actors.js'

export interface SoakOptions {
  readonly minutes: number
  readonly seed: number
  readonly tell?: (text: string) => void
}

export interface SoakReport {
  /** How many answers of each kind, by status. */
  readonly answers: Readonly<Record<string, Record<string, number>>>
  /** The longest that `/ping` took, the machine's own business included. */
  readonly longestPingMs: number
  readonly early: Figures
  readonly late: Figures
  readonly wrong: readonly string[]
}

type Figures = ReturnType<ServiceProcess['figures']>

const samplesPerRun = 60
/** Caches and pools fill up until here, as a share of the run. */
const warmUp = 0.4

const isWrong = (kind: string, status: number | string) =>
  (typeof status === 'number' && status >= 400) ||
  /INTERNAL|UNKNOWN|UNAVAILABLE|DATA_LOSS|failed/.test(String(status)) ||
  (status === 'CANCELLED' && kind === 'flight')

export async function soak(options: SoakOptions): Promise<SoakReport> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-soak-'))
  const service = new ServiceProcess(folder)
  try {
    return await soakOn(service, options)
  } finally {
    await service.end('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

async function soakOn(service: ServiceProcess, options: SoakOptions): Promise<SoakReport> {
  const { minutes, seed, tell } = options
  const url = await service.listening()
  const answers: Record<string, Record<string, number>> = {}
  const wrong: string[] = []
  let longestPingMs = 0
  const soaked: Soaked = {
    url,
    ...(await setUp(url)),
    random: seededRandom(seed),
    waited(ms) {
      longestPingMs = Math.max(longestPingMs, ms)
    },
    count(kind, status, text = '') {
      answers[kind] ??= {}
      answers[kind][status] = (answers[kind][status] ?? 0) + 1
      if (isWrong(kind, status)) wrong.push(`${kind}: ${status} ${text.slice(0, 300)}`)
    },
  }
  // Everybody who asks finds the table.
  await actors[0](soaked)
  const endAt = Date.now() + minutes * 60_000
  const act = async (actor: (typeof actors)[number]) => {
    while (Date.now() < endAt) await actor(soaked)
  }
  const acting = Promise.all(actors.map(act))
  const samples: Figures[] = []
  const sampling = sample(service, samples, endAt, minutes, tell)
  await Promise.all([acting, sampling])
  const [early, late] = comparedSamples(samples)
  wrong.push(...growthOf(early, late))
  return { answers, longestPingMs, early, late, wrong: wrong.slice(0, 20) }
}

async function sample(
  service: ServiceProcess,
  samples: Figures[],
  endAt: number,
  minutes: number,
  tell: SoakOptions['tell'],
): Promise<void> {
  while (Date.now() < endAt) {
    await pause((minutes * 60_000) / samplesPerRun)
    const figures = service.figures()
    samples.push(figures)
    tell?.(JSON.stringify(figures))
  }
}

/** Medians of what came right after the warm-up and of the end. */
function comparedSamples(samples: readonly Figures[]): [Figures, Figures] {
  const warm = samples.slice(Math.floor(samples.length * warmUp))
  const third = Math.max(1, Math.floor(warm.length / 3))
  return [median(warm.slice(0, third)), median(warm.slice(-third))]
}

function median(samples: readonly Figures[]): Figures {
  const of = (key: keyof Figures) => {
    const values = samples.map((figures) => figures[key]).sort((a, b) => a - b)
    return values[Math.floor(values.length / 2)]
  }
  return {
    residentMb: of('residentMb'),
    threads: of('threads'),
    handles: of('handles'),
    children: of('children'),
  }
}

/** A quarter and some is what comes and goes; segments that grow in number hold a handle each. */
function growthOf(early: Figures, late: Figures): string[] {
  const allowed: Figures = {
    residentMb: early.residentMb * 1.25 + 30,
    threads: early.threads + 2,
    handles: early.handles + 40,
    children: early.children + 2,
  }
  return (Object.keys(allowed) as (keyof Figures)[])
    .filter((key) => late[key] > allowed[key])
    .map((key) => `${key} grew from ${early[key]} to ${late[key]}`)
}

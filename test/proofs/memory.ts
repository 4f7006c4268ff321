// How much memory an input takes, over its size: `npm run memory [-- --only NAME,NAME]`. Each input is the worst of its
// kind that fits into the limit of its door, and goes to a service of its own that has seen a small one before.
// Counted is the highest resident memory of the process, from the request until two seconds after its answer, less
// what it had at rest before. More than ten times the size is a finding.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type MemoryInput, memoryInputs } from './memory-inputs.js'
import { type Answer, ask, Gone, pause, ServiceProcess, setUp } from './service-process.js'

export interface MemoryOptions {
  readonly only?: string | undefined
  /** Of the sizes that the doors take. */
  readonly share?: number
  readonly tell?: (text: string) => void
}

export interface MemoryFigure {
  readonly status: number
  readonly sizeMb: number
  readonly peakMb: number
  readonly times: number
}

export interface MemoryReport {
  readonly figures: Readonly<Record<string, MemoryFigure>>
  readonly wrong: readonly string[]
}

const timesMax = 10
const answerMs = 120_000

export async function memory(options: MemoryOptions): Promise<MemoryReport> {
  const figures: Record<string, MemoryFigure> = {}
  const wrong: string[] = []
  for (const [name, input] of Object.entries(memoryInputs)) {
    if (options.only !== undefined && !options.only.split(',').includes(name)) continue
    const figure = await measure(input, options.share ?? 1)
    if (figure === undefined) {
      wrong.push(`${name}: no answer within ${answerMs / 1000} s`)
      options.tell?.(`${name}: no answer`)
      continue
    }
    figures[name] = figure
    options.tell?.(`${name}: ${JSON.stringify(figure)}`)
    if (figure.times > timesMax) wrong.push(`${name}: ${figure.times} times its size`)
    if (figure.status >= 500 && figure.status !== 503) wrong.push(`${name}: ${figure.status}`)
  }
  return { figures, wrong }
}

/** Undefined: no answer in a time that is long, however busy the machine is. */
async function measure(input: MemoryInput, share: number): Promise<MemoryFigure | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-memory-'))
  const service = new ServiceProcess(folder)
  try {
    const url = await service.listening()
    const { token, orgId } = await setUp(url)
    const send = (size: number) => {
      const { path, body, headers = {} } = input.request(size, orgId)
      const sent = { method: 'POST', token, body, headers }
      return { answer: ask(`${url}${path}`, sent), size: input.size?.(size) ?? body.length }
    }
    await send(2000).answer
    await pause(1500)
    const { pid } = service.child
    const quiet = residentMb(pid, 'VmRSS')
    // From here on the kernel remembers the highest.
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
    const { answer, size } = send(Math.floor(input.bytesMax * share))
    const first = await Promise.race([answer.catch(brokenOff), pause(answerMs)])
    if (first === undefined || (first.status === 0 && service.child.exitCode !== null))
      return undefined
    const { status } = first
    // What is written behind the answer belongs to it.
    await pause(2000)
    const peakMb = Math.round(residentMb(pid, 'VmHWM') - quiet)
    const sizeMb = Math.round(size / 1e5) / 10
    return { status, sizeMb, peakMb, times: Math.round((peakMb / sizeMb) * 10) / 10 }
  } finally {
    await service.end('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Who reads no further closes: the rest of the body finds nobody. That the service lives is looked at. */
function brokenOff(error: unknown): Answer {
  if (error instanceof Gone) return { status: 0, text: '' }
  throw error
}

function residentMb(pid: number | undefined, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1000
}

// Rows of many short series, as tables of devices and their last messages ask for them: a few of all that are stored,
// of each series or of all, in a narrow range, or those with a certain text. Printed is the processor time of an ask
// once it is warm, here and in InfluxDB 1 where that is installed; that both give as many rows is checked.

import type { Figures } from './cpu-data.js'
import { installedSystems, type RunningSystem, startSystem } from './ingest-systems.js'

/** Devices, rows of each, and for how long it is asked before and while it is measured. */
const sizes = { small: [30, 20, 0, 0], large: [2000, 500, 1500, 3000] } as const
const startSeconds = 1_451_606_400
const stepSeconds = 10
const linesPerBody = 5000
const states = ['ok', 'idle', 'busy', 'asleep', 'charging', 'off']

interface Question {
  readonly name: string
  text(middle: string): string
}

const questions: readonly Question[] = [
  { name: 'newest 20', text: () => 'SELECT * FROM m ORDER BY time DESC LIMIT 20' },
  { name: 'oldest 500', text: () => 'SELECT level, state FROM m LIMIT 500' },
  {
    name: 'last of each',
    text: () => 'SELECT * FROM m GROUP BY device ORDER BY time DESC LIMIT 1',
  },
  {
    name: 'last and another',
    text: () => 'SELECT last(level), state FROM m GROUP BY device',
  },
  {
    name: 'ten seconds of all',
    text: (middle) => `SELECT * FROM m WHERE time >= '${middle}' AND time < '${middle}' + 10s`,
  },
  { name: 'count of a state', text: () => `SELECT count(level) FROM m WHERE state = 'busy'` },
  { name: 'state by pattern', text: () => 'SELECT count(level) FROM m WHERE state =~ /^b/' },
  { name: 'one message', text: () => `SELECT message FROM m WHERE message = 'request 77 of 7'` },
  { name: 'best of each', text: () => 'SELECT top(level, device, 10) FROM m' },
]

export async function run(size: keyof typeof sizes): Promise<Figures> {
  const names = size === 'small' ? ['millrace' as const] : installedSystems()
  const figures: Record<string, number> = {}
  const counts = new Map<string, Set<number>>(questions.map(({ name }) => [name, new Set()]))
  for (const name of names) {
    if (name === 'victoria') continue
    const system = await startSystem(name)
    try {
      for (const body of bodies(size)) await call(system, system.path, body)
      for (const question of questions) {
        const measured = await measure(system, question, size)
        figures[`${question.name}: ${name} ms`] = measured.cpuMs
        counts.get(question.name)?.add(measured.rowCount)
      }
    } finally {
      await system.stop()
    }
  }
  const check = [...counts].map(([name, found]) => `${name} ${[...found].join(' or ')}`)
  return { name: 'rows', figures, check: check.join('\n') }
}

function* bodies(size: keyof typeof sizes): Generator<string> {
  const [devices, rows] = sizes[size]
  let lines: string[] = []
  for (let row = 0; row < rows; row++) {
    for (let device = 0; device < devices; device++) {
      // Some milliseconds late, each its own way.
      const jitterMs = (row * 7919 + device * 104_729) % 200
      const time = (startSeconds + row * stepSeconds) * 1000 + jitterMs
      const state = states[Math.floor(row / 7 + device) % states.length]
      const level = ((row * 31 + device * 17) % 1000) / 10
      const fields = `level=${level},count=${row * 100 + device}i,state="${state}"`
      const message = `message="request ${row * 11} of ${device}"`
      lines.push(`m,device=d${device},site=s${device % 12} ${fields},${message} ${time}000000`)
      if (lines.length < linesPerBody) continue
      yield lines.join('\n')
      lines = []
    }
  }
  if (lines.length > 0) yield lines.join('\n')
}

async function measure(
  system: RunningSystem,
  { text }: Question,
  size: keyof typeof sizes,
): Promise<{ cpuMs: number; rowCount: number }> {
  const [, rows, warmMs, measuredMs] = sizes[size]
  const middle = new Date((startSeconds + (rows >> 1) * stepSeconds) * 1000).toISOString()
  const path = `/query?db=b&epoch=ns&q=${encodeURIComponent(text(middle))}`
  const ask = async (ms: number) => {
    const until = performance.now() + ms
    let count = 0
    let answer = ''
    do {
      answer = await call(system, path)
      count++
    } while (performance.now() < until)
    return { count, answer }
  }
  await ask(warmMs)
  const before = system.cpuSeconds()
  const { count, answer } = await ask(measuredMs)
  const cpuMs = ((system.cpuSeconds() - before) * 1000) / count
  const { results } = JSON.parse(answer) as { results: { series?: { values: unknown[] }[] }[] }
  const series = results[0].series ?? []
  return { cpuMs, rowCount: series.reduce((sum, { values }) => sum + values.length, 0) }
}

async function call({ port, headers }: RunningSystem, path: string, body?: string) {
  const [name, value] = headers.trim().split(': ')
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    ...(body !== undefined && { method: 'POST', body }),
    headers: value === undefined ? {} : { [name]: value },
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${text}`)
  return text
}

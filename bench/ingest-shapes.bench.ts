// Writing, shape by shape: the CPU time that a server spends per million rows, and its memory, beside those of InfluxDB
// 1 and VictoriaMetrics in the same run. Each shape differs from the usual one in one thing, so that a cliff shows
// where it is. `MILLRACE_BENCH_SHAPES=gzip;field` and `MILLRACE_BENCH_SYSTEMS=millrace,victoria` choose (by parts of
// names); `MILLRACE_BENCH_OTHER` names the folder of another checkout to compare with.

import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Figures } from './cpu-data.js'
import { type IngestShape, ingestShapes, requestBodies } from './ingest-shape.js'
import {
  installedSystems,
  type RunningSystem,
  type SystemName,
  startSystem,
} from './ingest-systems.js'

const connections = 4
/** Flushes and merges that the load has left behind count too. */
const settleMs = 5000

interface Cost {
  readonly cpuSeconds: number
  readonly rssMB: number
  readonly peakMB: number
  readonly rows: number
}

export async function run(size: 'small' | 'large'): Promise<Figures> {
  const isSmall = size === 'small'
  const chosen = process.env.MILLRACE_BENCH_SHAPES?.split(';')
  const systems = isSmall ? (['millrace'] as const) : systemsAsked()
  const shapes = isSmall
    ? ingestShapes.map((shape) => ({ ...shape, rows: Math.min(400, shape.rows) }))
    : ingestShapes.filter(({ name }) => chosen?.some((part) => name.includes(part)) ?? true)
  const figures: Record<string, number> = {}
  const checks: string[] = []
  const server = isSmall ? await startSystem('millrace') : undefined
  try {
    for (const shape of shapes) {
      const costs: string[] = []
      for (const system of systems) {
        if (system === 'victoria' && shape.withoutVictoria) continue
        const cost = await measure(system, shape, server)
        const perMillion = (cost.cpuSeconds / shape.rows) * 1e6
        figures[`${shape.name}, ${system}`] = perMillion
        costs.push(
          `${system} ${perMillion.toFixed(2)} (${cost.rssMB.toFixed(0)}/${cost.peakMB.toFixed(0)} MB)`,
        )
        checks.push(`${cost.rows}`)
      }
      // A run of all takes half an hour: each line is told when it is there.
      if (!isSmall) console.log(`${shape.name.padEnd(28)} ${costs.join('  ')}`)
    }
  } finally {
    await server?.stop()
  }
  const check = isSmall ? `${checks.at(-1)} rows` : 'CPU s per M rows (MB after load/peak)'
  return { name: 'ingest-shapes', figures, check }
}

function systemsAsked(): readonly SystemName[] {
  const asked = process.env.MILLRACE_BENCH_SYSTEMS?.split(',')
  return installedSystems().filter((name) => asked?.includes(name) ?? true)
}

/** A system of its own for each shape, unless there is one already. */
async function measure(
  name: SystemName,
  shape: IngestShape,
  started: RunningSystem | undefined,
): Promise<Cost> {
  const system = started ?? (await startSystem(name))
  try {
    const before = system.cpuSeconds()
    await load(system, shape)
    if (started === undefined) await sleep(settleMs)
    const cpuSeconds = system.cpuSeconds() - before
    const memory = system.memory()
    const rows = (await system.countRows()) ?? shape.rows
    if (started === undefined && rows !== shape.rows) {
      throw new Error(`${name} has ${rows} rows of "${shape.name}", not ${shape.rows}`)
    }
    return { cpuSeconds, ...memory, rows }
  } finally {
    if (started === undefined) await system.stop()
  }
}

/** Over some connections, each waiting for its answer before the next request. */
async function load(system: RunningSystem, shape: IngestShape): Promise<void> {
  const bodies = requestBodies(shape)
  await Promise.all(Array.from({ length: connections }, () => connection(system, shape, bodies)))
}

async function connection(
  { port, path, headers }: RunningSystem,
  { gzip }: IngestShape,
  bodies: Iterator<{ body: Buffer }>,
): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  await once(socket, 'connect')
  const encoding = gzip ? 'content-encoding: gzip\r\n' : ''
  try {
    for (let next = bodies.next(); next.done !== true; next = bodies.next()) {
      const { body } = next.value
      const length = `content-length: ${body.length}\r\n`
      socket.write(`POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${headers}${encoding}${length}\r\n`)
      socket.write(body)
      const answer = String((await once(socket, 'data'))[0])
      if (!answer.startsWith('HTTP/1.1 204')) throw new Error(`a write was refused: ${answer}`)
    }
  } finally {
    socket.destroy()
  }
}

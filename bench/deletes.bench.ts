// Ten thousand deletes in a row, by time, by tag, overlapping and not: what a read and a start cost afterwards against
// before, how large the manifest became at most, and how many deletes a second are taken.

import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { allTime } from '../src/column/time.js'
import { LineProtocolParser } from '../src/line-protocol/parser.js'
import { systemClock } from '../src/platform/clock.js'
import { NodeDisk } from '../src/platform/node-disk.js'
import { type Engine, openEngine } from '../src/store/embedded/engine.js'
import type { DeleteRequest } from '../src/store/store.js'
import { type Figures, startTime } from './cpu-data.js'

const bucket = '00000000000000cd'
const weekNs = 7n * 86_400n * 1_000_000_000n
const shards = 20

export async function run(size: 'small' | 'large'): Promise<Figures> {
  const [hosts, rows, deletes] = size === 'small' ? [40, 20, 50] : [1000, 50, 10_000]
  const folder = mkdtempSync(`${tmpdir()}/millrace-bench-`)
  const open = () =>
    openEngine({ disk: new NodeDisk(), folder, clock: systemClock, jobs: 'inline' })
  let engine = await open()
  const reopened = async () => {
    await engine.close()
    return cpuMs(async () => {
      engine = await open()
    })
  }
  try {
    for (let shard = 0; shard < shards; shard++) await write(engine, shard, hosts, rows)
    await engine.flush()
    await engine.compact()
    const openBefore = await reopened()
    const readBefore = await best(() => readAll(engine))
    let manifestBytes = 0
    const began = process.hrtime.bigint()
    for (let n = 0; n < deletes; n++) {
      await engine.delete(nthDelete(n, hosts, rows))
      if (n % 100 === 0) manifestBytes = Math.max(manifestBytes, manifestSize(folder))
    }
    const seconds = Number(process.hrtime.bigint() - began) / 1e9
    const tombstones = (await engine.metrics()).find(({ name }) => name === 'store_tombstones')!
    const readAfter = await best(() => readAll(engine))
    const openAfter = await reopened()
    const { rows: left } = await readAll(engine)
    return {
      name: 'deletes',
      figures: {
        deletesPerSecond: deletes / seconds,
        tombstonesAfter: tombstones.value,
        manifestBytesMost: manifestBytes,
        readCpuMsBefore: readBefore,
        readCpuMsAfter: readAfter,
        openCpuMsBefore: openBefore,
        openCpuMsAfter: openAfter,
      },
      check: `${left} of ${shards * hosts * rows} rows left`,
    }
  } finally {
    await engine.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function write(engine: Engine, shard: number, hosts: number, rows: number): Promise<void> {
  const lines: string[] = []
  for (let host = 0; host < hosts; host++) {
    for (let row = 0; row < rows; row++) {
      const time = startTime + BigInt(shard) * weekNs + BigInt(row) * 1000n
      lines.push(`cpu,host=h${host},region=r${host % 7} usage=${(host * row) % 97}i ${time}`)
    }
  }
  const parser = new LineProtocolParser()
  const text = Buffer.from(lines.join('\n'))
  const { batch } = parser.parse(text, { precision: 'ns', now: 0n })
  await engine.write(bucket, batch)
}

/** Half of the hosts lose all of their points, the others a few moments. */
function nthDelete(n: number, hosts: number, rows: number): DeleteRequest {
  const value = `h${(n >> 2) % (hosts >> 1)}`
  const predicate = { kind: 'tag', tag: 'host', op: '=', value } as const
  const start = startTime + BigInt(n % shards) * weekNs + BigInt(n % (rows >> 1)) * 1000n
  switch (n % 4) {
    case 0:
      return { bucket, range: allTime, measurement: 'cpu', predicate }
    case 1:
      return { bucket, range: { start, stop: start + 1n } }
    case 2:
      return { bucket, range: { start, stop: start + 2500n }, predicate }
    default:
      return { bucket, range: { start: start - 500n, stop: start + 500n }, measurement: 'none' }
  }
}

async function readAll(engine: Engine): Promise<{ rows: number }> {
  let rows = 0
  const request = { bucket, measurement: 'cpu', range: allTime }
  const stream = engine.read(request, new AbortController().signal)
  for (;;) {
    const step = await stream.next()
    if (step.done === true) return { rows }
    rows += step.value.rowCount
  }
}

function manifestSize(folder: string): number {
  const sizes = readdirSync(folder)
    .filter((name) => name.startsWith('MANIFEST'))
    .map((name) => statSync(`${folder}/${name}`, { throwIfNoEntry: false })?.size ?? 0)
  return Math.max(...sizes)
}

async function best(action: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < 5; i++) least = Math.min(least, await cpuMs(action))
  return least
}

async function cpuMs(action: () => Promise<unknown>): Promise<number> {
  const began = process.cpuUsage()
  await action()
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1000
}

// How fast line protocol becomes columns: rows of 10 tags and 10 integer fields (350 bytes) from
// many hosts in turn, in requests of 5,000 lines to one parser. The check string is a digest of
// every value, time and series that came out.

import type { WriteBatch } from '../src/column/write-batch.js'
import { LineProtocolParser } from '../src/line-protocol/parser.js'

const linesPerRequest = 5000
const startSeconds = 1_451_606_400
const stepSeconds = 10

const fieldNames = 'user system idle nice iowait irq softirq steal guest guest_nice'.split(' ')

export async function run(
  size: 'small' | 'large',
): Promise<{ name: string; figures: Record<string, number>; check: string }> {
  const bodies = size === 'small' ? makeBodies(20, 50) : makeBodies(500, 1000)
  const parser = new LineProtocolParser()
  let rowCount = 0
  let byteCount = 0
  let digest = 0
  let elapsedMs = 0
  for (const body of bodies) {
    const startMs = performance.now()
    const { batch } = parser.parse(body, { precision: 'ns', now: 0n })
    elapsedMs += performance.now() - startMs
    rowCount += batch.pointCount
    byteCount += body.length
    digest = digestBatch(batch, digest)
    parser.release(batch)
  }
  return {
    name: 'line-protocol',
    figures: {
      rowsPerSecond: Math.round((rowCount / elapsedMs) * 1000),
      megabytesPerSecond: Math.round(byteCount / elapsedMs / 1000),
    },
    check: `${rowCount} rows, digest ${(digest >>> 0).toString(16)}`,
  }
}

function makeBodies(hostCount: number, stepCount: number): Uint8Array[] {
  const random = generator(12345)
  const hosts = Array.from({ length: hostCount }, (_, i) => seriesKey(i, random))
  const levels = hosts.map(() => fieldNames.map(() => random() * 100))
  const bodies: Uint8Array[] = []
  let lines: string[] = []
  for (let step = 0; step < stepCount; step++) {
    const time = `${startSeconds + step * stepSeconds}000000000\n`
    for (let host = 0; host < hostCount; host++) {
      lines.push(`${hosts[host]} ${fieldList(levels[host], random)} ${time}`)
      if (lines.length < linesPerRequest) continue
      bodies.push(new TextEncoder().encode(lines.join('')))
      lines = []
    }
  }
  if (lines.length > 0) bodies.push(new TextEncoder().encode(lines.join('')))
  return bodies
}

function seriesKey(host: number, random: () => number): string {
  const region = `region-${Math.floor(random() * 9)}`
  const tags = [
    `arch=x${random() < 0.5 ? 64 : 86}`,
    `datacenter=${region}${'abc'[Math.floor(random() * 3)]}`,
    `hostname=host_${host}`,
    'os=Ubuntu16.04LTS',
    `rack=${Math.floor(random() * 100)}`,
    `region=${region}`,
    `service=${Math.floor(random() * 20)}`,
    'service_environment=production',
    `service_version=${Math.floor(random() * 2)}`,
    `team=${['SF', 'NYC', 'LON', 'CHI'][Math.floor(random() * 4)]}`,
  ]
  return `cpu,${tags.join(',')}`
}

/** Walks each level a little and prints it. */
function fieldList(levels: number[], random: () => number): string {
  let list = ''
  for (let f = 0; f < levels.length; f++) {
    levels[f] = Math.max(0, Math.min(100, levels[f] + (random() - 0.5) * 3))
    list += `${f === 0 ? '' : ','}usage_${fieldNames[f]}=${Math.round(levels[f])}i`
  }
  return list
}

/** Numbers in [0, 1) that are the same in every run. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 4294967296
  }
}

function digestBatch(batch: WriteBatch, start: number): number {
  let digest = start
  for (const { rowCount, series, times, fields } of batch.tables) {
    const base = Number(times.base / 1_000_000_000n)
    for (let row = 0; row < rowCount; row++) {
      digest = Math.imul(digest ^ series[row], 16777619)
      digest = Math.imul(digest ^ (base + times.offsets[row] / 1e9), 16777619)
    }
    for (const { column } of fields) {
      for (let row = 0; row < rowCount; row++) {
        digest = Math.imul(digest ^ Number(column.values[row]), 16777619)
      }
    }
  }
  return digest
}

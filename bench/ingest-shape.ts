// Shapes of points for the benchmark of writing: how many fields of which type, tags, series, measurements, lines in a
// request, in which order, packed or not. The same points in every run.

import { gzipSync } from 'node:zlib'

export type ValueKind =
  | 'gauge' // integers of a few digits that walk
  | 'decimal' // floats with two decimals
  | 'float' // floats with all their digits
  | 'wide' // integers of 63 bits
  | 'boolean'
  | 'state' // one of a few strings
  | 'text' // a string that is new each time

export interface IngestShape {
  readonly name: string
  readonly rows: number
  readonly fields: number
  readonly kind: ValueKind
  readonly tags: number
  readonly series: number
  readonly measurements: number
  readonly linesPerRequest: number
  /** `late`: one point in fifty comes a thousand steps after its time. `shuffled`: in any order. */
  readonly order: 'time' | 'late' | 'shuffled'
  readonly gzip: boolean
  /** VictoriaMetrics has no strings: what it drops costs it nothing. */
  readonly withoutVictoria?: boolean
}

const usual: IngestShape = {
  name: 'usual: 10 gauges, 5 tags, 1,000 series, 5,000 lines',
  rows: 600_000,
  fields: 10,
  kind: 'gauge',
  tags: 5,
  series: 1000,
  measurements: 1,
  linesPerRequest: 5000,
  order: 'time',
  gzip: false,
}

const other = (name: string, changes: Partial<IngestShape>): IngestShape => ({
  ...usual,
  ...changes,
  name,
})

/** Each differs from the usual one in one thing. */
export const ingestShapes: readonly IngestShape[] = [
  usual,
  other('1 field', { fields: 1, rows: 1_500_000 }),
  other('50 fields', { fields: 50, rows: 150_000 }),
  other('decimals', { kind: 'decimal' }),
  other('17-digit floats', { kind: 'float' }),
  other('63-bit integers', { kind: 'wide' }),
  other('booleans', { kind: 'boolean' }),
  other('states', { kind: 'state', withoutVictoria: true }),
  other('unique strings', { kind: 'text', fields: 4, withoutVictoria: true }),
  other('no tags, 1 series', { tags: 0, series: 1 }),
  other('10 tags', { tags: 10 }),
  other('100,000 series', { series: 100_000 }),
  other('requests of 1,000 lines', { linesPerRequest: 1000 }),
  other('requests of 100 lines', { linesPerRequest: 100, rows: 300_000 }),
  other('requests of 10 lines', { linesPerRequest: 10, rows: 60_000 }),
  other('requests of 1 line', { linesPerRequest: 1, rows: 20_000 }),
  other('2 % late', { order: 'late' }),
  other('shuffled', { order: 'shuffled' }),
  other('100 measurements', { measurements: 100 }),
  other('1,000 measurements', { measurements: 1000 }),
  other('10,000 measurements', { measurements: 10_000, series: 10_000, rows: 300_000 }),
  other('gzip', { gzip: true }),
]

const startSeconds = 1_700_000_000
const stepSeconds = 10
const lateSteps = 1000
const states = ['ok', 'degraded', 'failed', 'unknown']

/** Bodies of requests, one after the other, with the lines in each. */
export function* requestBodies(shape: IngestShape): Generator<{ body: Buffer; lines: number }> {
  const { rows, linesPerRequest } = shape
  const points = new Points(shape)
  for (let row = 0; row < rows; row += linesPerRequest) {
    const lines = Math.min(linesPerRequest, rows - row)
    let text = ''
    for (let i = 0; i < lines; i++) text += points.next()
    const body = Buffer.from(text)
    yield { body: shape.gzip ? gzipSync(body, { level: 1 }) : body, lines }
  }
}

class Points {
  readonly #shape: IngestShape
  readonly #random = generator(4711)
  readonly #keys: readonly string[]
  readonly #names: readonly string[]
  readonly #levels: Float64Array
  readonly #order: Uint32Array | undefined
  #row = 0

  constructor(shape: IngestShape) {
    const { series, fields, rows } = shape
    this.#shape = shape
    this.#keys = Array.from({ length: series }, (_, i) => seriesKey(shape, i))
    this.#names = Array.from({ length: fields }, (_, f) => `field_${f}`)
    this.#levels = Float64Array.from({ length: series * fields }, () => this.#random() * 100)
    this.#order = shape.order === 'shuffled' ? this.#shuffled(rows) : undefined
  }

  next(): string {
    const { series } = this.#shape
    const row = this.#order === undefined ? this.#row : this.#order[this.#row]
    this.#row++
    const at = row % series
    let step = Math.floor(row / series)
    if (this.#shape.order === 'late' && this.#random() < 0.02) step -= lateSteps
    return `${this.#keys[at]} ${this.#fields(at)} ${startSeconds + step * stepSeconds}000000000\n`
  }

  #fields(series: number): string {
    const { fields } = this.#shape
    let text = ''
    for (let f = 0; f < fields; f++) {
      text += `${f === 0 ? '' : ','}${this.#names[f]}=${this.#value(series * fields + f)}`
    }
    return text
  }

  #value(at: number): string {
    const random = this.#random
    switch (this.#shape.kind) {
      case 'gauge':
        return `${Math.round(this.#walk(at))}i`
      case 'decimal':
        return this.#walk(at).toFixed(2)
      case 'float':
        return String(this.#walk(at) + random() / 1e9)
      case 'wide':
        return `${(BigInt(Math.floor(random() * 2 ** 31)) << 32n) + BigInt(Math.floor(random() * 2 ** 32))}i`
      case 'boolean':
        return random() < 0.5 ? 'true' : 'false'
      case 'state':
        return `"${states[Math.floor(random() * states.length)]}"`
      case 'text':
        return `"request ${Math.floor(random() * 2 ** 32).toString(36)} took ${Math.floor(random() * 1e6)} us"`
    }
  }

  #walk(at: number): number {
    const level = Math.max(0, Math.min(100, this.#levels[at] + (this.#random() - 0.5) * 3))
    this.#levels[at] = level
    return level
  }

  #shuffled(rows: number): Uint32Array {
    const order = Uint32Array.from({ length: rows }, (_, i) => i)
    for (let i = rows - 1; i > 0; i--) {
      const j = Math.floor(this.#random() * (i + 1))
      const kept = order[i]
      order[i] = order[j]
      order[j] = kept
    }
    return order
  }
}

function seriesKey({ kind, tags, measurements }: IngestShape, i: number): string {
  let key = measurements === 1 ? kind : `${kind}_${i % measurements}`
  for (let t = 0; t < tags; t++) {
    key += t === 0 ? `,tag_0=host_${i}` : `,tag_${t}=value-${(i * (t + 7)) % (3 * t + 2)}`
  }
  return key
}

/** Numbers in [0, 1) that are the same in every run. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 4294967296
  }
}

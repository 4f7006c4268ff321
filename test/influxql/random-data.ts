// Random points of a few measurements, and statements that delete some of them: what both sides of a comparison are
// told. Times lie in two weeks, each a shard of its own. Floats are quarters, so that sums do not depend on their
// order; `u` never comes twice, so that the greatest is one.

import { nsPerSecond, type TimeRange } from '../../src/column/time.js'
import type { Random } from '../../src/platform/random.js'

/** Thursdays, 2026-01-01 and -08, in seconds. */
export const weeks = [1_767_225_600, 1_767_830_400]
/** What a range of a query ends at. */
export const spanSeconds = 6 * 3600

export const tagValues = {
  host: ['a', 'b', 'c', 'd'],
  zone: ['north', 'south', ''],
}
/** Behind every point. */
export const now = 1_769_904_000_000_000_000n
export const measurements = ['m', 'n']
/** What points are copied into. */
export const copies = 'copies'

export class RandomData {
  readonly #random: Random
  #unique = 0

  constructor(random: Random) {
    this.#random = random
  }

  /** A row of each measurement in each week that has all fields. */
  wholeRows(): string {
    return measurements
      .flatMap((name) => weeks.map((week) => this.#line(this.#key(name), fieldNames, week)))
      .join('\n')
  }

  /** Lines of one write, in seconds: a stretch of one series or rows of all, on the grid of before or beside it. */
  lines(): string {
    const random = this.#random
    const name = random.pick(measurements)
    const start = this.#start()
    const step = random.pick([1, 10, 10, 10, 60])
    const rows = random.pick([1, 5, 40, 200])
    const isOfAll = random.below(2) > 0
    const key = this.#key(name)
    const fields = fieldNames.filter(() => random.below(4) > 0)
    const lines: string[] = []
    for (let row = 0; row < rows; row++) {
      const time = start + row * step
      const present = fields.filter(() => random.below(8) > 0)
      const names = present.length === 0 ? ['f'] : present
      lines.push(this.#line(isOfAll ? this.#key(name) : key, names, time))
    }
    return lines.join('\n')
  }

  /** Points of other measurements, or what becomes of them. */
  copying(): string {
    const from = this.#start()
    const range = `time >= ${from}s AND time < ${from + this.#random.pick([600, 7200])}s`
    const [columns, by] = this.#random.pick([
      ['f, u, s, b', '*'],
      ['u, i', '*'],
      ['mean(f) AS f, sum(i) AS i, last(s) AS s', 'time(1m), *'],
      ['max(f) AS f, count(b) AS i', 'time(7m), host'],
    ])
    const source = this.#random.pick(measurements)
    return `SELECT ${columns} INTO ${copies} FROM ${source} WHERE ${range} GROUP BY ${by}`
  }

  /** Of a measurement, as the store is asked to delete it. */
  part(): { readonly measurement: string; readonly range: TimeRange } {
    const start = BigInt(this.#start()) * nsPerSecond
    const seconds = this.#random.pick([1n, 60n, 600n, 7200n])
    const range = { start, stop: start + seconds * nsPerSecond }
    return { measurement: this.#random.pick(measurements), range }
  }

  /** Of a part of the time. */
  deletion(): string {
    const random = this.#random
    const name = random.pick(measurements)
    const from = this.#start()
    const range = `time >= ${from}s AND time <= ${from + random.pick([0, 60, 600, 7200])}s`
    return random.pick([
      `DELETE WHERE ${range}`,
      `DELETE FROM ${name} WHERE ${range}`,
      `DELETE FROM ${name} WHERE ${this.#tag()} AND ${range}`,
      `DELETE FROM ${name} WHERE ${this.#tag()} AND ${range}`,
      `DELETE FROM ${name} WHERE ${this.#tag()} AND time < ${weeks[1]}s`,
    ])
  }

  /** Once: where such series are written again, and others deleted then, InfluxDB loses some that it should keep. */
  lastDeletion(): string {
    const name = this.#random.pick(measurements)
    return this.#random.pick([
      `DELETE FROM ${name} WHERE ${this.#tag()}`,
      `DROP SERIES FROM ${name} WHERE ${this.#tag()}`,
      `DROP MEASUREMENT ${name}`,
    ])
  }

  #tag(): string {
    const pick = <T>(choices: readonly T[]) => this.#random.pick(choices)
    const host = pick(tagValues.host)
    return pick([
      `host = '${host}'`,
      `host != '${host}'`,
      `host =~ /[${host}${pick(tagValues.host)}]/`,
      `zone = '${pick(tagValues.zone)}'`,
    ])
  }

  /** On the grid of ten seconds, mostly. */
  #start(): number {
    const offset = this.#random.below(spanSeconds)
    return this.#random.pick(weeks) + (this.#random.below(6) > 0 ? offset - (offset % 10) : offset)
  }

  #line(key: string, fields: readonly string[], time: number): string {
    return `${key} ${fields.map((field) => `${field}=${this.#value(field)}`).join(',')} ${time}`
  }

  #key(name: string): string {
    const host = this.#random.pick(tagValues.host)
    const zone = this.#random.pick(tagValues.zone)
    return `${name},host=${host}${zone === '' ? '' : `,zone=${zone}`}`
  }

  #value(field: string): string {
    const random = this.#random
    switch (field) {
      case 'f':
        return String((random.below(4000) - 2000) / 4)
      case 'u':
        return String(random.below(1_000_000) + ++this.#unique / 65_536)
      case 'i':
        return `${random.below(2000) - 1000}i`
      case 's':
        return `"${random.pick(['on', 'off', '', 'a"word"'].map((s) => s.replaceAll('"', '\\"')))}"`
      default:
        return String(random.below(2) > 0)
    }
  }
}

/** A number with fractions, one that does not come twice, an integer, a text, a boolean. */
export const fieldNames = ['f', 'u', 'i', 's', 'b']

// Random points of every type, written, overwritten and deleted, with a model that knows what must be there in the end.

import type { Random } from '../../src/platform/random.js'

export interface PointModel {
  /** `series field time` to the value as line protocol spells it. */
  readonly values: Map<string, string>
}

const day = 86_400n * 1_000_000_000n

const seriesKeys = [
  'cpu,host=a',
  'cpu,host=b',
  'cpu,host=a,zone=x',
  'disk\\ io,path=/var\\ lib\\,x,t\\=g=v',
  'none',
  'größe,ort=Köln',
  'a#b,c=d#!e',
]

const fieldNames = ['f', 'i', 'u', 'b', 's', 'long name', 'ä=']

export class RandomPoints implements PointModel {
  readonly values = new Map<string, string>()
  readonly #random: Random
  readonly #start: bigint
  readonly #days: number

  constructor(random: Random, start: bigint, days: number) {
    this.#random = random
    this.#start = start
    this.#days = days
  }

  /** Lines of one request. */
  lines(count: number): string {
    const texts: string[] = []
    const key = this.#random.pick(seriesKeys)
    const isRegular = this.#random.below(2) === 0
    const step = BigInt(this.#random.pick([1, 1_000_000, 1_000_000_000, 10_000_000_000]))
    let time = this.#time()
    for (let i = 0; i < count; i++) {
      const names = fieldNames.filter(() => isRegular || this.#random.below(3) > 0)
      if (names.length === 0) names.push('f')
      const fields = names.map((name) => {
        const value = this.#value(name, i, isRegular)
        this.values.set(JSON.stringify([key, name, String(time)]), value)
        return `${escaped(name)}=${value}`
      })
      texts.push(`${key} ${fields.join(',')} ${time}`)
      time = isRegular ? time + step : this.#time()
    }
    return texts.join('\n')
  }

  /** A statement that deletes, for the measurement of a random series. */
  deletion(): string {
    const key = this.#random.pick(['cpu,host=a', 'cpu,host=b', 'none'])
    const [measurement, tag] = key.split(',')
    const from = this.#time()
    const to = from + BigInt(this.#random.below(1_000_000)) * 100_000_000n
    for (const known of [...this.values.keys()]) {
      const [series, , time] = JSON.parse(known)
      const isMeant = tag === undefined ? series === measurement : series.startsWith(key)
      if (!isMeant || BigInt(time) < from || BigInt(time) > to) continue
      this.values.delete(known)
    }
    const [name, value] = tag?.split('=') ?? []
    const where = tag === undefined ? '' : `"${name}" = '${value}' AND `
    return `DELETE FROM "${measurement}" WHERE ${where}time >= ${from} AND time <= ${to}`
  }

  #time(): bigint {
    const span = BigInt(this.#days) * day
    const part = BigInt(Math.floor(this.#random.float() * 2 ** 52))
    const time = this.#start + (span * part) / 2n ** 52n
    return this.#random.below(4) === 0 ? time : time - (time % 1_000_000_000n)
  }

  #value(name: string, i: number, isRegular: boolean): string {
    const random = this.#random
    switch (name) {
      case 'i':
        if (isRegular) return `${i * 7}i`
        return random.below(20) === 0
          ? `${random.pick([-9223372036854775808n, 9223372036854775807n, 2n ** 53n])}i`
          : `${random.below(100_000) - 50_000}i`
      case 'u':
        return `${random.uint32()}i`
      case 'b':
        return random.below(2) === 0 ? 'true' : 'false'
      case 's':
        return `"${random.pick(['', 'x', 'äöü', 'a\\"b', 'long '.repeat(50)])}${i % 3}"`
      default:
        return isRegular
          ? `${i / 4}`
          : `${random.pick([0.1, -1e300, 5e-324, random.float() * 1e6])}`
    }
  }
}

function escaped(name: string): string {
  return name.replace(/[, =]/g, '\\$&')
}

// Times that come again are copied and not spelt: the answer must be the same, whatever times came
// before that look alike. A column with marks of validity is always spelt row by row.

import { expect, test } from 'vitest'
import { encode, json, start } from '../../test/result/sample-pieces.js'
import type { TimeColumn } from '../column/time.js'
import type { ResultBatch, ResultColumn } from '../query/language.js'
import type { ResultFormat } from './format.js'

interface Shown {
  readonly tag?: string
  readonly zone?: string | undefined
  readonly text?: string
}

function table(times: TimeColumn, isSpelt: boolean, { tag = 'a', zone, text }: Shown): ResultBatch {
  const rowCount = times.offsets.length
  const validity = isSpelt ? new Uint8Array(rowCount).fill(1) : undefined
  const values = Float64Array.from({ length: rowCount }, (_, row) => row / 4)
  const bytes = Buffer.from(text ?? '')
  const dictionary = { bytes, offsets: Uint32Array.of(0, bytes.length), count: 1 }
  const columns: ResultColumn[] = [
    { type: 'time', times, validity },
    { type: 'float', values, validity: undefined },
    { type: 'string', values: new Uint32Array(rowCount), dictionary, validity: undefined },
  ]
  const columnNames = ['time', 'f', 's']
  const tags = [{ key: 't', value: tag }]
  const shape = { kind: 'batch', result: 0, name: 'm', tags, columnNames } as const
  return { ...shape, columns, rowCount, ...(zone === undefined ? {} : { zone }) }
}

function minutes(count: number, base = 1_500_000_000_123_456_789n): TimeColumn {
  return { base, offsets: Float64Array.from({ length: count }, (_, i) => i * 60e9) }
}

/** Three tables of the same times, so that they are met, printed and copied. */
async function expectSame(times: TimeColumn, format: ResultFormat, shown: Shown = {}) {
  const tables = (isSpelt: boolean) =>
    ['a', 'b', 'c'].map((tag) => table(times, isSpelt, { ...shown, tag }))
  const expected = await encode([start(0), ...tables(true)], format)
  expect(await encode([start(0), ...tables(false)], format)).toBe(expected)
  return expected
}

const units = ['ns', 'us', 'ms', 's', 'm', 'h', 'rfc3339', undefined] as const

test('the same times in every unit and zone, indented or not', async () => {
  const times = minutes(5)
  const answers = new Set<string>()
  // Twice: what was kept of one style is there when the others come again.
  for (let round = 0; round < 2; round++) {
    for (const time of units) {
      for (const isPretty of [false, true]) {
        answers.add(await expectSame(times, { ...json, time, isPretty }))
      }
    }
    for (const zone of ['Europe/Berlin', 'America/New_York']) {
      answers.add(await expectSame(times, json, { zone }))
    }
  }
  // Six units and RFC3339, each also indented, and two zones.
  expect(answers.size).toBe(16)
})

test('times around 1970 and far from it', async () => {
  for (const base of [-150_000_000_001n, 0n, -9_223_372_036_854_775_806n]) {
    for (const time of units) await expectSame(minutes(5, base), { ...json, time })
  }
})

test('an array that is written again, and times that differ in one row only', async () => {
  const times = minutes(7)
  const before = await expectSame(times, { ...json, time: 'ns' })
  times.offsets[3] += 1
  const after = await expectSame(times, { ...json, time: 'ns' })
  expect(after).not.toBe(before)
  expect(after).toBe(before.replaceAll('1500000180123456789', '1500000180123456790'))
  await expectSame(minutes(7, times.base + 1n), { ...json, time: 'ns' })
})

test('a batch with fewer rows than its times', async () => {
  const times = minutes(9)
  const cut = (isSpelt: boolean) =>
    ['a', 'b', 'c'].map((tag) => ({ ...table(times, isSpelt, { tag }), rowCount: 4 }))
  expect(await encode([start(0), ...cut(false)], json)).toBe(
    await encode([start(0), ...cut(true)], json),
  )
})

test('tables in chunks', async () => {
  for (const chunkRows of [1, 2, 4, 5, 100]) {
    for (const isPretty of [false, true]) {
      await expectSame(minutes(5), { ...json, chunkRows, isPretty })
    }
  }
})

test('tables that leave in several pieces, with rows that need more room', async () => {
  const text = 'x"'.repeat(600)
  for (const count of [300, 2000, 2001]) await expectSame(minutes(count), json, { text })
  await expectSame(minutes(3), json, { text: text.repeat(100) })
})

test('tables of one answer whose times take turns', async () => {
  const bases = [0n, 0n, 7n, 0n, 7n, 7n, 0n, 0n]
  const tables = (isSpelt: boolean) =>
    bases.map((base, i) => table(minutes(3, base * 1_000_000_000n), isSpelt, { tag: `${i}` }))
  expect(await encode([start(0), ...tables(false)], json)).toBe(
    await encode([start(0), ...tables(true)], json),
  )
})

test('one time column alone', async () => {
  const alone = (isSpelt: boolean) =>
    ['a', 'b', 'c'].map((tag) => {
      const whole = table(minutes(3), isSpelt, { tag })
      return { ...whole, columnNames: ['time'], columns: whole.columns.slice(0, 1) }
    })
  expect(await encode([start(0), ...alone(false)], json)).toBe(
    await encode([start(0), ...alone(true)], json),
  )
})

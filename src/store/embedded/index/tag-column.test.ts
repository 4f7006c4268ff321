// A tag that few series have costs what those take, whichever series have it, and answers as one that all have:
// which series have a value, which value a series has, and which lack the tag.

import { expect, test } from 'vitest'
import { seededRandom } from '../../../platform/random.js'
import { atOnce } from '../../../platform/turns.js'
import { TagColumn } from './tag-column.js'

const bytesOf = (text: string) => Buffer.from(text)

function filled(positions: readonly number[], valueAt: (position: number) => string): TagColumn {
  const column = new TagColumn('t')
  for (const position of positions) {
    const bytes = bytesOf(valueAt(position))
    column.set(position, bytes, 0, bytes.length)
  }
  return column
}

test('answers the same, however its series lie', () => {
  const random = seededRandom(5)
  for (const stepMax of [1, 2, 7, 40, 3000]) {
    for (const count of [1, 9, 300]) {
      const positions: number[] = []
      for (let at = random.below(stepMax * 3); positions.length < count; ) {
        positions.push(at)
        at += 1 + random.below(stepMax)
      }
      const valueAt = (position: number) => `v${position % 3}`
      const column = filled(positions, valueAt)
      const total = positions[count - 1] + 5
      const has = new Set(positions)
      for (let at = 0; at < total; at++) {
        const expected = has.has(at) ? column.codeOf(valueAt(at)) : 0
        if (column.codeAt(at) !== expected) throw new Error(`${stepMax} ${count} at ${at}`)
      }
      for (const value of ['v0', 'v1', 'v2']) {
        const code = column.codeOf(value)
        if (code === 0) continue
        const wanted = positions.filter((position) => valueAt(position) === value)
        expect([...column.positionsOf(code)]).toEqual(wanted)
        const accepts = new Uint8Array(4)
        accepts[code] = 1
        expect([...atOnce(column.positionsWhere(accepts, total))]).toEqual(wanted)
      }
      const lacking = new Uint8Array(4)
      lacking[0] = 1
      expect(atOnce(column.positionsWhere(lacking, total)).length).toBe(total - count)
    }
  }
})

test('a thousand tags of one series in a thousand each take what their series take', () => {
  const columns = Array.from({ length: 1000 }, (_, i) => {
    const positions = Array.from({ length: 100 }, (_, n) => n * 1000 + i)
    return filled(positions, () => 'x')
  })
  const bytes = columns.reduce((sum, { byteLength }) => sum + byteLength, 0)
  // 100,000 tags in all; by position they would be 400 MB.
  expect(bytes).toBeLessThan(4_000_000)
})

test('is found among those that came after a question', () => {
  const column = filled([0, 1, 2], (position) => `v${position}`)
  expect([...column.positionsOf(1)]).toEqual([0])
  for (let n = 1; n < 3000; n++) {
    const bytes = bytesOf('v0')
    column.set(n * 500, bytes, 0, bytes.length)
    if (n % 700 === 0) expect(column.positionsOf(1).length).toBe(n + 1)
  }
  expect(column.positionsOf(1).at(-1)).toBe(2999 * 500)
})

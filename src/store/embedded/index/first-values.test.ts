// The first values of a tag in their order, while values are added in whatever order: the same as when all are put in
// order. A list that was begun does not change by what comes meanwhile.

import { expect, it } from 'vitest'
import { atOnce } from '../../../platform/turns.js'
import { TagColumn } from './tag-column.js'

function columnOf(texts: readonly string[]): TagColumn {
  const column = new TagColumn('t')
  for (const [i, text] of texts.entries()) add(column, i, text)
  return column
}

function add(column: TagColumn, position: number, text: string): void {
  const bytes = Buffer.from(`..${text}`)
  column.set(position, bytes, 2, bytes.length)
}

const count = 20_000
const scattered = (i: number) => (i * 7919) % count

it.each([
  ['scattered', (i: number) => String(scattered(i))],
  ['ascending', (i: number) => String(i).padStart(6, '0')],
  ['descending', (i: number) => String(count - i).padStart(6, '0')],
  ['with the same beginning', (i: number) => `a-long-beginning-${scattered(i)}`],
  ['each twice', (i: number) => `v${scattered(i) >> 1}`],
  ['with one that is empty', (i: number) => (i === 15_000 ? '' : `ä${scattered(i)}`)],
])('keeps the first of many: %s', (_, textAt) => {
  const texts = Array.from({ length: count }, (_, i) => textAt(i))
  const column = columnOf(texts)
  const wanted = [...new Set(texts)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const firsts = [...column.firstNumbers()].map((number) => column.textOf(number + 1))
  expect(firsts).toEqual(wanted.slice(0, 1024))
})

it('keeps none of few', () => {
  const column = columnOf(Array.from({ length: 8192 }, (_, i) => String(i)))
  expect(column.firstNumbers()).toHaveLength(0)
  add(column, 8192, 'one more')
  expect(column.firstNumbers()).toHaveLength(1024)
})

it('puts those in order that were there, whatever comes behind them', () => {
  const column = columnOf(Array.from({ length: 9000 }, (_, i) => `v${i}`))
  add(column, 9000, 'a')
  const [before, all] = [atOnce(column.order(9000)), atOnce(column.order())]
  expect([before.count, all.count]).toEqual([9000, 9001])
  before.sortNow(1)
  all.sortNow(1)
  expect([column.textOf(before.at(0) + 1), column.textOf(all.at(0) + 1)]).toEqual(['v0', 'a'])
})

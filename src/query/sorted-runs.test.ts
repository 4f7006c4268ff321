// Texts from many pages come in one order, each once, whatever order and number the pages have; with a limit only
// the first of them.

import { describe, expect, it } from 'vitest'
import { compareUtf8 } from '../column/series.js'
import { inPieces, SortedRuns } from './sorted-runs.js'

function runsOf(pages: readonly (readonly string[])[], wanted: number): string[] {
  const runs = new SortedRuns(wanted)
  for (const page of pages) runs.add(page)
  return [...runs.texts()]
}

describe('sorted runs', () => {
  it('brings pages together and drops repetitions', () => {
    expect(runsOf([['b', 'a'], [], ['c', 'a', 'a']], Number.POSITIVE_INFINITY)).toEqual([
      'a',
      'b',
      'c',
    ])
  })

  it('gives the first of very many, as sorting all of them would', () => {
    const pages = Array.from({ length: 300 }, (_, i) =>
      Array.from({ length: 20 }, (_, k) => `n${(i * 7919 + k * 104_729) % 4999}`),
    )
    const all = [...new Set(pages.flat())].sort(compareUtf8)
    expect(runsOf(pages, Number.POSITIVE_INFINITY)).toEqual(all)
    expect(runsOf(pages, 17)).toEqual(all.slice(0, 17))
    expect(runsOf(pages, 0)).toEqual([])
  })

  it('sorts by code points, not by halves of pairs', () => {
    expect(runsOf([['\u{1f600}', '\ufb01']], 2)).toEqual(['\ufb01', '\u{1f600}'])
  })

  it('hands everything out in pieces', async () => {
    const texts = Array.from({ length: 12_001 }, (_, i) => String(i))
    const pieces: string[][] = []
    for await (const piece of inPieces(texts)) pieces.push(piece)
    expect(pieces.map(({ length }) => length)).toEqual([...Array(12).fill(1000), 1])
    expect(pieces.flat()).toEqual(texts)
  })
})

// Where pieces of a series overlap, only the stretch where they lie side by side is merged: what is
// before and behind passes through, and no row is lost or told twice.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clustersOf } from './clusters.js'
import type { Piece } from './cursor.js'

function piece(rank: number, minOffset: number, maxOffset: number, base = 0n): Piece {
  return {
    base,
    rank,
    minOffset,
    maxOffset,
    statistics: undefined,
    rowsMax: 1000,
    bounds: () => undefined,
    peek: () => undefined,
    load: () => expect.fail('nothing is to be loaded'),
    loadEnd: () => expect.fail('nothing is to be loaded'),
    part: (min, max) => piece(rank, min, max, base),
  }
}

/** As `rank:min-max`, pieces of a cluster joined by +. */
function shown(pieces: Piece[]): string[] {
  return clustersOf(pieces).map((cluster) =>
    cluster.map((each) => `${each.rank}:${each.minOffset}-${each.maxOffset}`).join(' + '),
  )
}

test('pieces that follow each other stay as they are', () => {
  expect(shown([piece(0, 0, 9), piece(1, 10, 19)])).toEqual(['0:0-9', '1:10-19'])
  expect(shown([piece(1, 10, 19), piece(0, 0, 9)])).toEqual(['0:0-9', '1:10-19'])
  expect(shown([piece(0, 0, 9), piece(0, 0, 9, 100n)])).toEqual(['0:0-9', '0:0-9'])
})

test('late points cost a merge of what they reach, not of the rest', () => {
  expect(shown([piece(0, 0, 99), piece(1, 90, 199)])).toEqual([
    '0:0-89',
    '0:90-99 + 1:90-99',
    '1:100-199',
  ])
  expect(shown([piece(0, 0, 99), piece(0, 100, 199), piece(1, 150, 160)])).toEqual([
    '0:0-99',
    '0:100-149',
    '0:150-160 + 1:150-160',
    '0:161-199',
  ])
})

test('pieces of few rows are merged as they are', () => {
  const few = (each: Piece): Piece => ({ ...each, rowsMax: 200 })
  expect(shown([few(piece(0, 0, 99)), few(piece(1, 90, 199))])).toEqual(['0:0-99 + 1:90-199'])
})

test('three at once are one merge', () => {
  expect(shown([piece(0, 0, 50), piece(1, 40, 90), piece(2, 45, 60)])).toEqual([
    '0:0-39',
    '0:40-50 + 1:40-60 + 2:45-60',
    '1:61-90',
  ])
})

test('whatever the pieces, every moment of each is in one cluster, and clusters rise', () => {
  const bounds = fc.tuple(fc.nat(60), fc.nat(20))
  fc.assert(
    fc.property(fc.array(bounds, { minLength: 1, maxLength: 8 }), (all) => {
      const pieces = all.map(([min, length], rank) => piece(rank, min, min + length))
      const clusters = clustersOf([...pieces])
      let end = -1
      for (const cluster of clusters) {
        expect(Math.min(...cluster.map((each) => each.minOffset))).toBeGreaterThan(end)
        end = Math.max(...cluster.map((each) => each.maxOffset))
      }
      for (const { rank, minOffset, maxOffset } of pieces) {
        const moments = clusters
          .flat()
          .filter((each) => each.rank === rank)
          .reduce((sum, each) => sum + each.maxOffset - each.minOffset + 1, 0)
        expect(moments).toBe(maxOffset - minOffset + 1)
      }
    }),
  )
})

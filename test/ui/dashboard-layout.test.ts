// Where cells of a dashboard lie: nothing over nothing, whatever is moved, by random moves too; steps by keys always
// get somewhere; undo gives back what was.

import { expect, it } from 'vitest'
import { seededRandom } from '../../src/platform/random.js'
import { changed, redone, startOf, undone } from '../../ui/src/dashboards/edit-history.js'
import {
  columnCount,
  compacted,
  type Place,
  sized,
  stepped,
  withPlace,
} from '../../ui/src/dashboards/layout.js'

const cell = (id: string, x: number, y: number, w: number, h: number): Place => ({ id, x, y, w, h })
const text = (cells: readonly Place[]) =>
  cells.map(({ id, x, y, w, h }) => `${id} ${x},${y} ${w}x${h}`)

const meets = (a: Place, b: Place) =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h

const isInside = ({ x, y, w, h }: Place) =>
  x >= 0 && y >= 0 && w >= 1 && h >= 1 && x + w <= columnCount

/** Gathered and then expected once: thousands of expectations cost seconds. */
function expectSound(cells: readonly Place[]): void {
  const wrong = cells.filter((a) => !isInside(a) || cells.some((b) => a !== b && meets(a, b)))
  expect(text(wrong)).toEqual([])
}

it('lets cells fall up, and keeps them within the columns', () => {
  const cells = [cell('a', 0, 3, 6, 2), cell('b', 9, 1, 6, 2), cell('c', 0, 9, 0, 0)]
  expect(text(compacted(cells))).toEqual(['a 0,0 6x2', 'b 6,0 6x2', 'c 0,2 4x2'])
})

it('pushes what is in the way down, and swaps on the way down', () => {
  const cells = [cell('a', 0, 0, 6, 2), cell('b', 0, 2, 6, 2), cell('c', 6, 0, 6, 4)]
  expect(text(withPlace(cells, 'c', { x: 3 }))).toEqual(['a 0,4 6x2', 'b 0,6 6x2', 'c 3,0 6x4'])
  expect(text(withPlace(cells, 'a', { y: 2 }))).toEqual(['a 0,2 6x2', 'b 0,0 6x2', 'c 6,0 6x4'])
  expect(text(withPlace(cells, 'b', { y: 0 }))).toEqual(['a 0,2 6x2', 'b 0,0 6x2', 'c 6,0 6x4'])
  expect(text(cells)).toEqual(['a 0,0 6x2', 'b 0,2 6x2', 'c 6,0 6x4'])
})

it('steps by keys: down and up exchange, left and right move, sizes have ends', () => {
  const cells = [cell('a', 0, 0, 6, 2), cell('b', 0, 2, 6, 3)]
  const down = stepped(cells, 'a', 'down')
  expect(text(down)).toEqual(['a 0,3 6x2', 'b 0,0 6x3'])
  expect(text(stepped(down, 'a', 'up'))).toEqual(text(cells))
  expect(text(stepped(cells, 'a', 'left'))).toEqual(text(cells))
  expect(text(stepped(cells, 'b', 'right'))).toEqual(['a 0,0 6x2', 'b 1,2 6x3'])
  expect(text(sized(cells, 'a', 'down'))).toEqual(['a 0,0 6x3', 'b 0,3 6x3'])
  expect(text(sized([cell('a', 11, 0, 1, 1)], 'a', 'right'))).toEqual(['a 11,0 1x1'])
  expect(text(sized([cell('a', 11, 0, 1, 1)], 'a', 'up'))).toEqual(['a 11,0 1x1'])
})

it('never lays a cell over another, whatever is moved', () => {
  const random = seededRandom(22)
  const upTo = (end: number) => random.below(end)
  let cells: Place[] = Array.from({ length: 14 }, (_, i) =>
    cell(String(i), upTo(12), upTo(20), 1 + upTo(8), 1 + upTo(5)),
  )
  for (let round = 0; round < 150; round++) {
    const id = String(upTo(14))
    cells =
      upTo(2) === 0
        ? withPlace(cells, id, { x: upTo(14) - 1, y: upTo(25) })
        : withPlace(cells, id, { w: 1 + upTo(13), h: 1 + upTo(6) })
    expectSound(cells)
    expect(text(compacted(cells))).toEqual(text(cells))
  }
})

it('goes back and forth between states', () => {
  const two = changed(changed(startOf('a'), 'b'), 'c')
  expect(undone(two).present).toBe('b')
  expect(undone(undone(undone(two))).present).toBe('a')
  expect(redone(undone(two))).toEqual(two)
  expect(redone(changed(undone(two), 'd')).present).toBe('d')
})

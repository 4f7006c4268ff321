// Shapes: which literals are taken out of a text, and which texts have no shape. What the scan takes out, the
// tree must have a slot for.

import { describe, expect, test } from 'vitest'
import { numberSlots } from './literal-slots.js'
import { parseQuery } from './parser.js'
import { shapeOf } from './query-shape.js'

function shown(text: string): string | undefined {
  return shapeOf(text)?.key.replaceAll('\0', '?')
}

describe('literals behind comparisons are taken out', () => {
  test.each([
    ["SELECT f FROM m WHERE h='a' AND time >= '2020-01-01T00:00:00Z'", 'h=?s AND time >= ?s'],
    ['SELECT f FROM m WHERE f>5 or f<= 2.5', 'f>?i or f<= ?n'],
    ['select f from m where time > 1451606400000ms and time<10s', 'time > ?d and time<?d'],
    ["SELECT f FROM m WHERE (h <> 'a') AND f != 3;", '(h <> ?s) AND f != ?i;'],
    [
      "SELECT f FROM m WHERE a = 'x' AND h =~ /it's \\/ \"/ AND b = 'y'",
      `a = ?s AND h =~ /it's \\/ "/ AND b = ?s`,
    ],
    [
      "SELECT mean(f) / 60 FROM m WHERE h = 'a' GROUP BY time(1m) tz('UTC')",
      "h = ?s GROUP BY time(1m) tz('UTC')",
    ],
    ["SELECT f FROM m WHERE \"it's\" = 'a'", '"it\'s" = ?s'],
    ['SELECT f FROM m WHERE time > now() - 1h AND f = 9223372036854775807', 'f = ?i'],
  ])('%s', (text, end) => {
    const key = shown(text)!
    expect(key.endsWith(end) ? end : key).toBe(end)
    expect(numberSlots(parseQuery(text), shapeOf(text)!)).toBeDefined()
  })
})

describe('literals that are part of something else stay', () => {
  test.each([
    "SELECT f FROM m WHERE time > '2020-01-01' + 1h AND h = 'a'",
    'SELECT f FROM m WHERE f > 5 * 2 AND g = 1',
    'SELECT f FROM m WHERE f = -5 AND g = 1',
    'SELECT f FROM m WHERE f = 18446744073709551615 AND g = 1',
    'SELECT f FROM m WHERE f = 1h30m AND g = 1',
  ])('%s', (text) => {
    expect(shapeOf(text)!.literals).toHaveLength(1)
    expect(numberSlots(parseQuery(text), shapeOf(text)!)).toBeDefined()
  })
})

describe('no shape', () => {
  test.each([
    'SELECT f FROM m',
    "SHOW TAG VALUES WITH KEY = h WHERE h = 'a'",
    "CREATE USER u WITH PASSWORD 'p'",
    "SELECT f FROM m WHERE h = 'a\\'b'",
    "SELECT f FROM m WHERE h = 'ä'",
    "SELECT f FROM m WHERE h = $h AND g = 'a'",
    "SELECT f FROM m WHERE h = 'a' -- and more",
    "SELECT f FROM m WHERE h = 'a' /* and more */",
    "SELECT f FROM /m/ WHERE h = 'a'",
    "SELECT f FROM m\nWHERE h = 'a'",
    "SELECT f FROM m WHERE h = 'a\0b'",
    "SELECT f FROM m WHERE h = 'a",
  ])('%s', (text) => {
    expect(shapeOf(text)).toBeUndefined()
  })
})

test('what is so long that nobody asks it twice has none', () => {
  const text = (terms: number) => `SELECT f FROM m WHERE ${'t = 1 OR '.repeat(terms)}t = 2`
  expect(shapeOf(text(10_000))).toBeUndefined()
  const shape = shapeOf(text(4000))!
  expect(shape.literals).toHaveLength(4001)
  expect(numberSlots(parseQuery(text(2000)), shapeOf(text(2000))!)).toBeDefined()
})

test('a literal that the tree has no slot for', () => {
  const text = "SELECT f FROM m WHERE 'a' = 'b'"
  expect(numberSlots(parseQuery(text), shapeOf(text)!)).toBeUndefined()
})

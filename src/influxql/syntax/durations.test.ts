// Durations: what is read, what is refused, and both ways of printing. Whatever is printed as in a
// query is read as the same length again.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseDuration, printDuration, printGoDuration } from './durations.js'

const second = 1_000_000_000n
const hour = 3600n * second

describe('parseDuration', () => {
  test.each([
    ['1ns', 1n, 0],
    ['10u', 10_000n, 0],
    ['10µ', 10_000n, 0],
    ['5ms', 5_000_000n, 0],
    ['1h30m', 90n * 60n * second, 0],
    ['1w1d', 8n * 24n * hour, 0],
    ['-10m', -600n * second, 0],
    ['0s', 0n, 0],
    ['007s', 7n * second, 0],
    ['0000000000000000000000001s', second, 0],
    ['1mo', 0n, 1],
    ['1y2mo', 0n, 14],
    ['-3mo', 0n, -3],
    ['9223372036854775807ns', 9223372036854775807n, 0],
  ])('%s', (text, ns, months) => {
    expect(parseDuration(text)).toEqual({ kind: 'duration', ns, months })
  })

  test.each([
    '',
    '1',
    's',
    '1x',
    '1n',
    '1h3',
    'h1',
    '1 h',
    '1mo1d',
    '0mo',
    '1hh',
    '9223372036854775808ns',
  ])('refuses %j', (text) => {
    expect(parseDuration(text)).toEqual({ kind: 'error', message: 'invalid duration' })
  })

  test('refuses what does not fit', () => {
    const message = 'overflowed duration 20000w: choose a smaller duration or INF'
    expect(parseDuration('20000w')).toEqual({ kind: 'error', message })
  })

  test('takes no time for many digits', () => {
    expect(parseDuration(`${'9'.repeat(1_000_000)}s`).kind).toBe('error')
  })
})

test('what is printed means the same', () => {
  fc.assert(
    fc.property(fc.bigInt(-(2n ** 62n), 2n ** 62n), (ns) => {
      expect(parseDuration(printDuration(ns))).toEqual({ kind: 'duration', ns, months: 0 })
    }),
  )
})

test.each([
  [0n, '0s', '0s'],
  [1n, '1ns', '1ns'],
  [1500n, '1500ns', '1.5µs'],
  [2000n, '2u', '2µs'],
  [1_500_000n, '1500u', '1.5ms'],
  [1_500_000_000n, '1500ms', '1.5s'],
  [90n * second, '90s', '1m30s'],
  [60n * second, '1m', '1m0s'],
  [hour, '1h', '1h0m0s'],
  [90n * 60n * second, '90m', '1h30m0s'],
  [168n * hour, '1w', '168h0m0s'],
  [36n * hour, '36h', '36h0m0s'],
  [hour + 1n, '3600000000001ns', '1h0m0.000000001s'],
  [-90n * second, '-90s', '-1m30s'],
])('%d ns', (ns, short, go) => {
  expect([printDuration(ns), printGoDuration(ns)]).toEqual([short, go])
})

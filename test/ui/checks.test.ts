// What the page checks by itself: placeholders filled in and places led back, mistakes found by the service's parsers,
// line protocol before it is sent; and the stand-in for Node's `Buffer` that these parsers get in a browser.

import { describe, expect, it } from 'vitest'
import { Buffer as BrowserBuffer } from '../../ui/src/query/buffer.js'
import { checkLines } from '../../ui/src/query/check-lines.js'
import { checkFlux, checkInfluxql } from '../../ui/src/query/check-text.js'
import { filledText, offsetOf } from '../../ui/src/query/findings.js'

describe('placeholders', () => {
  it('become literals, and places behind them are led back', () => {
    const typed = 'select f from m where $timeFilter and x'
    const { text, originalOf } = filledText(typed, 'influxql')
    expect(text).toBe('select f from m where time > 0 and x')
    expect(originalOf(text.indexOf('and x'))).toBe(typed.indexOf('and x'))
    expect(originalOf(3)).toBe(3)
    const sql = filledText('select $window, $from, a\nfrom m where b = $room', 'sql')
    expect(sql.text).toBe(
      "select INTERVAL '1 minute', TIMESTAMP '2000-01-01', a\nfrom m where b = 'x'",
    )
    expect(sql.originalOf(sql.text.indexOf(', a'))).toBe(21)
    // A place within a literal is that of its placeholder.
    expect(sql.originalOf(sql.text.indexOf('minute'))).toBe(7)
  })

  it('within quotes and comments stay', () => {
    const text = `select "$from", '$to' -- $window\nfrom m`
    expect(filledText(text, 'sql').text).toBe(text)
  })

  it('has lines and columns as offsets', () => {
    expect(offsetOf('ab\ncd', { line: 2, column: 2, message: '' })).toBe(4)
    expect(offsetOf('ab\ncd', { line: 9, column: 2, message: '' })).toBe(5)
    expect(offsetOf('ab', { line: 0, column: 0, message: '' })).toBeUndefined()
  })
})

describe('the parsers of the service', () => {
  it('tell where InfluxQL and Flux are wrong', () => {
    expect(checkInfluxql('select f from m')).toEqual([])
    expect(checkInfluxql('select mean(f from m')).toMatchObject([{ line: 1, column: 15 }])
    expect(checkFlux('from(bucket: "b") |> range(start: -1h)')).toEqual([])
    expect(checkFlux('x = 1\nfrom(bucket: ')[0]).toMatchObject({ line: 2 })
  })

  it('tell what line protocol holds, and which lines are wrong', () => {
    const found = checkLines('room,room=a t=1,h=2 10\nbroken\nroom,room=b t=3 20', 's')
    expect(found).toMatchObject({
      lineCount: 3,
      errorCount: 1,
      errors: [{ line: 2, message: 'missing fields' }],
      measurements: [{ name: 'room', points: 2, fields: ['t', 'h'], from: 10_000, to: 20_000 }],
    })
  })
})

it('has a stand-in for Buffer that does what the parsers ask of it', () => {
  const text = 'grün, 日本 "\u0001"'
  expect(BrowserBuffer.from(text).toString()).toBe(text)
  expect(BrowserBuffer.byteLength(text)).toBe(Buffer.byteLength(text))
  expect([...BrowserBuffer.from('00ff7A', 'hex')]).toEqual([0, 255, 122])
  const parts = [BrowserBuffer.from('a'), BrowserBuffer.from('ü')]
  expect(BrowserBuffer.concat(parts).toString('utf8')).toBe('aü')
  const bytes = new Uint8Array([104, 101, 108, 108, 111, 233])
  const view = BrowserBuffer.from(bytes.buffer, 1, 5)
  expect(view.toString('latin1', 0, 2)).toBe('el')
  expect(view.toString('latin1', 4, 5)).toBe('é')
  view[0] = 65
  expect(bytes[1]).toBe(65)
})

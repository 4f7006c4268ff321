// msgpack read back by a reader of its own: the maps of the JSON form, lengths that were written later,
// moments as an extension.

import { expect, test } from 'vitest'
import {
  batch,
  encodeBytes,
  failure,
  floats,
  msgpack,
  start,
} from '../../test/result/sample-pieces.js'
import type { ResultFormat } from './format.js'

test('the maps of JSON, moments as an extension', async () => {
  const table = batch({
    kinds: ['time', 'float', 'integer', 'boolean', 'string'],
    columns: ['time', 'f', 'i', 'b', 's'],
    rows: [
      [-1500000001n, 1.5, 9223372036854775807n, true, 'é'],
      [1n, null, -33n, false, 'x'.repeat(40)],
    ],
    tags: { t: 'a' },
  })
  const pieces = [start(0, { messages: ['w'] }), table, start(1), failure(1, 'no'), start(2)]
  const moment = (seconds: bigint, nanos: number) => ({ type: 5, seconds, nanos })
  expect(unpackAll(await encodeBytes(pieces, msgpack))).toEqual([
    {
      results: [
        {
          statement_id: 0n,
          messages: [{ level: 'warning', text: 'w' }],
          series: [
            {
              name: 'm',
              tags: { t: 'a' },
              columns: ['time', 'f', 'i', 'b', 's'],
              values: [
                [moment(-2n, 499999999), 1.5, 9223372036854775807n, true, 'é'],
                [moment(0n, 1), null, -33n, false, 'x'.repeat(40)],
              ],
            },
          ],
        },
        { error: 'no' },
        { statement_id: 2n, series: [] },
      ],
    },
  ])
})

test('in chunks, with numbers since 1970', async () => {
  const format: ResultFormat = { ...msgpack, chunkRows: 3, time: 'ms' }
  const pieces = [start(0), batch(floats), start(1), failure(1, 'no')]
  const table = (values: unknown[][]) => ({ name: 'm', columns: ['time', 'f'], values })
  const first = [
    [-1500n, 123456789.125],
    [0n, 0.000001],
    [0n, 1.5],
  ]
  expect(unpackAll(await encodeBytes(pieces, format))).toEqual([
    {
      results: [{ statement_id: 0n, series: [{ ...table(first), partial: true }], partial: true }],
    },
    { results: [{ statement_id: 0n, series: [table([[1500n, 1e-7]])] }] },
    { results: [{ error: 'no' }] },
  ])
})

test('a failure replaces what its result had', async () => {
  const pieces = [start(0), batch(floats), failure(0, 'first'), failure(0, 'last'), start(1)]
  expect(unpackAll(await encodeBytes(pieces, msgpack))).toEqual([
    { results: [{ error: 'last' }, { statement_id: 1n, series: [] }] },
  ])
})
/** Documents one after the other. Integers come as bigint. */
function unpackAll(bytes: Buffer): unknown[] {
  const reader = { at: 0 }
  const documents: unknown[] = []
  while (reader.at < bytes.length) documents.push(unpack(bytes, reader))
  return documents
}

function unpack(bytes: Buffer, reader: { at: number }): unknown {
  const skip = (count: number) => {
    reader.at += count
    return reader.at - count
  }
  const list = (count: number) => Array.from({ length: count }, () => unpack(bytes, reader))
  const map = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, () => [unpack(bytes, reader), unpack(bytes, reader)]),
    )
  const text = (count: number) => bytes.toString('utf8', skip(count), reader.at)
  const code = bytes[skip(1)]
  if (code < 0x80) return BigInt(code)
  if (code < 0x90) return map(code & 15)
  if (code < 0xa0) return list(code & 15)
  if (code < 0xc0) return text(code & 31)
  if (code >= 0xe0) return BigInt(code - 256)
  switch (code) {
    case 0xc0:
      return null
    case 0xc2:
    case 0xc3:
      return code === 0xc3
    case 0xc7: {
      expect(bytes[skip(1)]).toBe(12)
      const type = bytes[skip(1)]
      const seconds = bytes.readBigInt64BE(skip(8))
      return { type, seconds, nanos: bytes.readInt32BE(skip(4)) }
    }
    case 0xcb:
      return bytes.readDoubleBE(skip(8))
    case 0xcf:
      return bytes.readBigUInt64BE(skip(8))
    case 0xd0:
      return BigInt(bytes.readInt8(skip(1)))
    case 0xd1:
      return BigInt(bytes.readInt16BE(skip(2)))
    case 0xd2:
      return BigInt(bytes.readInt32BE(skip(4)))
    case 0xd3:
      return bytes.readBigInt64BE(skip(8))
    case 0xd9:
      return text(bytes[skip(1)])
    case 0xdd:
      return list(bytes.readUInt32BE(skip(4)))
    default:
      throw new Error(`unexpected byte ${code.toString(16)}`)
  }
}

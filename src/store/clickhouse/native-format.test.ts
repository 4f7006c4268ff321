// Blocks come back as they were sent, whatever pieces the network makes of them; a small one is shown byte by byte;
// and what is no block is told apart from one.

import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../platform/random.js'
import {
  bytesOf,
  encodeBlock,
  encodeStrings,
  type NativeBase,
  type NativeColumn,
  NativeFormatError,
  type ReadBlock,
  readBlocks,
} from './native-format.js'

async function* cut(bytes: Uint8Array, size: () => number) {
  for (let at = 0; at < bytes.length; ) {
    const next = at + size()
    yield bytes.subarray(at, next)
    at = next
  }
}

async function all(bytes: Uint8Array, types: readonly NativeBase[], size = () => 7) {
  const blocks: ReadBlock[] = []
  for await (const block of readBlocks(cut(bytes, size), types)) blocks.push(block)
  return blocks
}

describe('Native format', () => {
  it('is these bytes', () => {
    const columns: NativeColumn[] = [
      { name: 'm', base: 'UInt32', bytes: bytesOf(Uint32Array.of(7, 258)) },
      {
        name: 'v',
        base: 'String',
        nulls: Uint8Array.of(0, 1),
        bytes: encodeStrings([Buffer.from('é'), Buffer.from('')]),
      },
    ]
    expect(Buffer.concat(encodeBlock(columns, 2)).toString('hex')).toBe(
      [
        '0202',
        '016d',
        '0655496e743332',
        '0700000002010000',
        '0176',
        '104e756c6c61626c6528537472696e6729',
        '0001',
        '02c3a900',
      ].join(''),
    )
  })

  const random = seededRandom(7)
  it.each(Array.from({ length: 30 }, (_, i) => i))('gives back what was sent (%i)', async () => {
    const rowCount = random.below(300)
    const wide = BigInt64Array.from({ length: rowCount }, () =>
      BigInt.asIntN(64, BigInt(random.below(2 ** 31)) ** 3n),
    )
    const floats = Float64Array.from({ length: rowCount }, () => random.float() - 0.5)
    const texts = Array.from({ length: rowCount }, () => Buffer.from('ü'.repeat(random.below(200))))
    const nulls = Uint8Array.from({ length: rowCount }, () => random.below(2))
    const block = Buffer.concat(
      encodeBlock(
        [
          { name: 'a', base: 'Int64', bytes: bytesOf(wide) },
          { name: 'b', base: 'Float64', nulls, bytes: bytesOf(floats) },
          { name: 'c', base: 'String', bytes: encodeStrings(texts) },
        ],
        rowCount,
      ),
    )
    const types: NativeBase[] = ['Int64', 'Float64', 'String']
    const blocks = await all(Buffer.concat([block, block]), types, () => 1 + random.below(500))
    expect(blocks).toHaveLength(rowCount === 0 ? 0 : 2)
    for (const { columns } of blocks) {
      expect(columns[0]).toEqual({ base: 'Int64', nulls: undefined, values: wide })
      expect(columns[1]).toEqual({ base: 'Float64', nulls, values: floats })
      const [, , strings] = columns
      if (strings.base !== 'String') return expect.fail('no strings')
      texts.forEach((text, row) => {
        const found = strings.bytes.subarray(strings.offsets[row], strings.offsets[row + 1])
        expect(Buffer.from(found).equals(text)).toBe(true)
      })
    }
  })

  it('knows columns whose rows the server merges', async () => {
    const type = 'SimpleAggregateFunction(anyLast, Nullable(Float64))'
    const head = Buffer.from([1, 1, 1, 0x76, type.length])
    const rest = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f])
    const [block] = await all(Buffer.concat([head, Buffer.from(type), rest]), ['Float64'])
    expect(block.columns[0]).toEqual({
      base: 'Float64',
      nulls: Uint8Array.of(0),
      values: Float64Array.of(1.5),
    })
  })

  it('tells a complaint behind the last block, and an answer that is cut off', async () => {
    const block = Buffer.concat(
      encodeBlock([{ name: 'a', base: 'UInt8', bytes: Uint8Array.of(1, 2) }], 2),
    )
    const complaint = Buffer.from('Code: 241, e.displayText() = DB::Exception: Memory limit')
    const failure = await all(Buffer.concat([block, complaint]), ['UInt8']).catch((error) => error)
    expect(failure).toBeInstanceOf(NativeFormatError)
    expect(failure.serverText).toContain('Code: 241')
    for (let length = 1; length < block.length; length++) {
      await expect(all(block.subarray(0, length), ['UInt8'])).rejects.toThrow('broken off')
    }
    await expect(all(block, ['UInt16'])).rejects.toThrow('broken off')
  })
})

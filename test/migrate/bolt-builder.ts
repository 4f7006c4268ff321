// Writes a key-value file as bbolt lays it out, for tests: buckets within the leaf that names them, on a page of their
// own, or over several pages below a branch; values that need further pages.

import { fnv1a } from '../../src/tsm/metadata/bolt-file.js'

const pageBytes = 4096
const headBytes = 16

export type BoltContent = Readonly<Record<string, Readonly<Record<string, Uint8Array | string>>>>

interface Entry {
  readonly key: Buffer
  readonly value: Buffer
  readonly flags: number
}

export function boltFile(content: BoltContent): Buffer {
  const pages: Buffer[] = [Buffer.alloc(pageBytes), Buffer.alloc(pageBytes), page(2, 0x10, 0, [])]
  const add = (flags: number, count: number, parts: readonly Buffer[]) => {
    const made = page(pages.length, flags, count, parts)
    const id = pages.length
    for (let at = 0; at < made.length; at += pageBytes)
      pages.push(made.subarray(at, at + pageBytes))
    return id
  }
  const leafOf = (entries: readonly Entry[]) => add(2, entries.length, leafParts(entries))
  const names = Object.keys(content).sort()
  const root = names.map((name, i) => {
    const entries = Object.entries(content[name])
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => ({ key: Buffer.from(key), value: Buffer.from(value), flags: 0 }))
    return { key: Buffer.from(name), value: bucketValue(entries, i, leafOf, add), flags: 1 }
  })
  const rootPage = leafOf(root)
  meta(pages[0], 0, rootPage, pages.length, 7n)
  // What the file was before: an older transaction that leads nowhere.
  meta(pages[1], 1, 2, pages.length, 6n)
  return Buffer.concat(pages)
}

/** One after the other of the three ways. */
function bucketValue(
  entries: readonly Entry[],
  number: number,
  leafOf: (entries: readonly Entry[]) => number,
  add: (flags: number, count: number, parts: readonly Buffer[]) => number,
): Buffer {
  const head = Buffer.alloc(16)
  const isSmall = entries.reduce((sum, { value }) => sum + value.length, 0) < 1000
  if (number % 3 === 0 && isSmall) {
    return Buffer.concat([head, page(0, 2, entries.length, leafParts(entries), 1)])
  }
  if (number % 3 === 1 || entries.length < 2) {
    head.writeBigUInt64LE(BigInt(leafOf(entries)), 0)
    return head
  }
  const half = entries.length >> 1
  const leaves = [entries.slice(0, half), entries.slice(half)].map((some) => ({
    key: some[0].key,
    id: leafOf(some),
  }))
  const elements = leaves.map(({ key, id }, i) => {
    const element = Buffer.alloc(16)
    const before = leaves.slice(0, i).reduce((sum, leaf) => sum + leaf.key.length, 0)
    element.writeUInt32LE((leaves.length - i) * 16 + before, 0)
    element.writeUInt32LE(key.length, 4)
    element.writeBigUInt64LE(BigInt(id), 8)
    return element
  })
  const branch = add(1, leaves.length, [...elements, ...leaves.map(({ key }) => key)])
  head.writeBigUInt64LE(BigInt(branch), 0)
  return head
}

function leafParts(entries: readonly Entry[]): Buffer[] {
  let data = 0
  const elements = entries.map(({ key, value, flags }, i) => {
    const element = Buffer.alloc(16)
    element.writeUInt32LE(flags, 0)
    element.writeUInt32LE((entries.length - i) * 16 + data, 4)
    element.writeUInt32LE(key.length, 8)
    element.writeUInt32LE(value.length, 12)
    data += key.length + value.length
    return element
  })
  return [...elements, ...entries.flatMap(({ key, value }) => [key, value])]
}

/** Filled up to whole pages; within another page it is as long as it is. */
function page(
  id: number,
  flags: number,
  count: number,
  parts: readonly Buffer[],
  unit = pageBytes,
): Buffer {
  const head = Buffer.alloc(headBytes)
  const length = headBytes + parts.reduce((sum, part) => sum + part.length, 0)
  const whole = Math.ceil(length / unit) * unit
  head.writeBigUInt64LE(BigInt(id), 0)
  head.writeUInt16LE(flags, 8)
  head.writeUInt16LE(count, 10)
  head.writeUInt32LE(unit === pageBytes ? whole / pageBytes - 1 : 0, 12)
  return Buffer.concat([head, ...parts, Buffer.alloc(whole - length)])
}

function meta(into: Buffer, id: number, root: number, count: number, transaction: bigint): void {
  into.writeBigUInt64LE(BigInt(id), 0)
  into.writeUInt16LE(4, 8)
  const at = headBytes
  into.writeUInt32LE(0xed0cdaed, at)
  into.writeUInt32LE(2, at + 4)
  into.writeUInt32LE(pageBytes, at + 8)
  into.writeBigUInt64LE(BigInt(root), at + 16)
  into.writeBigUInt64LE(2n, at + 32)
  into.writeBigUInt64LE(BigInt(count), at + 40)
  into.writeBigUInt64LE(transaction, at + 48)
  into.writeBigUInt64LE(fnv1a(into.subarray(at, at + 56)), at + 56)
}

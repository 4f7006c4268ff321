// Packed files: what their bytes say they are packed with, frames of zstd one after the other, cuts that are told, and
// what is said where Node has no zstd.

import * as zlib from 'node:zlib'
import { expect, it } from 'vitest'
import { packers } from '../../src/cli/export-files.js'
import { unpacked } from '../../src/formats/unpacked.js'

const lines = 'm,host=a load=1.5 1\nm,host=b load=2.5 2\n'
/** As the command zstd packs them. */
const packed =
  '28b52ffd04681d0100d86d2c686f73743d61206c6f61643d312e3520310a62322e3520320a02006008974d266f695d51'
const hasZstd = 'createZstdCompress' in zlib

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 3) yield bytes.subarray(at, at + 3)
}

async function read(bytes: Uint8Array): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const part of unpacked(pieces(bytes))) parts.push(part)
  return Buffer.concat(parts).toString()
}

it('reads plain and gzip', async () => {
  expect(await read(Buffer.from(lines))).toBe(lines)
  expect(await read(zlib.gzipSync(lines))).toBe(lines)
})

it.runIf(hasZstd)('reads and writes zstd where Node has it', async () => {
  expect(await read(Buffer.from(packed, 'hex'))).toBe(lines)
  const [packer] = packers('zstd')
  packer.end(lines)
  const parts: Uint8Array[] = []
  for await (const part of packer) parts.push(part)
  expect(await read(Buffer.concat(parts))).toBe(lines)
})

it.runIf(hasZstd)('reads all frames of zstd, and says where one is cut', async () => {
  const frame = Buffer.from(packed, 'hex')
  const skipped = Buffer.from('502a4d1803000000616263', 'hex')
  // Many blocks, no checksum, a size of four bytes; one byte repeated.
  const { zstdCompressSync } = zlib as unknown as { zstdCompressSync(text: string): Buffer }
  const long = `${'x'.repeat(300_000)}\n${Array.from({ length: 50_000 }, (_, i) => (i * i) % 977).join()}\n`
  const all = Buffer.concat([skipped, frame, zstdCompressSync(long), skipped, frame])
  expect(await read(all)).toBe(lines + long + lines)
  for (const cut of [frame.length - 2, 20, 5, frame.length + 3]) {
    const bytes = Buffer.concat([frame, frame]).subarray(0, cut)
    await expect(read(bytes)).rejects.toThrow('cannot be unpacked: it ends too early')
  }
  const garbage = Buffer.concat([frame, Buffer.from('garbage')])
  await expect(read(garbage)).rejects.toThrow('something else follows')
})

it.skipIf(hasZstd)('says what zstd needs where Node has none', async () => {
  const reason = `zstd needs Node 22.15 or later; this is ${process.version}`
  await expect(read(Buffer.from(packed, 'hex'))).rejects.toThrow(reason)
  expect(() => packers('zstd')).toThrow(reason)
})

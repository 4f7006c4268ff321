// Archives written here are what tar itself reads, and what tar wrote is read here, in whatever pieces
// the bytes come; what is no archive, or ends early, is refused.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { readTar, tarEnd, tarFill, tarHeader } from './tar.js'

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function filesOf(bytes: Uint8Array, size: number): Promise<[string, string][]> {
  const files: [string, string][] = []
  for await (const file of readTar(inPieces(bytes, size))) {
    const parts: Uint8Array[] = []
    for await (const part of file.bytes) parts.push(part.slice())
    files.push([file.name, Buffer.concat(parts).toString()])
  }
  return files
}

const contents: [string, string][] = [
  ['a/one.txt', 'first'],
  ['empty', ''],
  ['a/long.bin', 'x'.repeat(1300)],
]

function archive(): Buffer {
  const parts = contents.flatMap(([name, text]) => [
    tarHeader(name, text.length, 1_700_000_000),
    Buffer.from(text),
    tarFill(text.length),
  ])
  return Buffer.concat([...parts, tarEnd])
}

test('what goes in comes out, whatever the pieces are', async () => {
  for (const size of [1, 7, 512, 100_000]) expect(await filesOf(archive(), size)).toEqual(contents)
})

test('tar reads it, and what tar writes is read', async () => {
  const folder = mkdtempSync(`${tmpdir()}/millrace-tar-`)
  try {
    writeFileSync(`${folder}/in.tar`, archive())
    execFileSync('tar', ['-xf', 'in.tar'], { cwd: folder })
    expect(readFileSync(`${folder}/a/long.bin`, 'utf8')).toBe('x'.repeat(1300))
    execFileSync('tar', ['-cf', 'out.tar', 'a/one.txt', 'empty', 'a/long.bin'], { cwd: folder })
    expect(await filesOf(readFileSync(`${folder}/out.tar`), 999)).toEqual(contents)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a size beyond 8 GB survives its header', async () => {
  const header = tarHeader('large', 12 * 2 ** 30, 0)
  const [first] = [readTar(inPieces(header, 512))]
  const file = await first.next()
  expect(file.value?.byteLength).toBe(12 * 2 ** 30)
})

test('an archive that ends early, or is none, is refused', async () => {
  await expect(filesOf(archive().subarray(0, 1500), 512)).rejects.toThrow('ends too early')
  await expect(filesOf(Buffer.alloc(1024, 'm,t=a v=1\n'), 512)).rejects.toThrow('not a tar archive')
})

// Gzip streams that fail, before and while they are read: told to the reader, never to the process.

import { PassThrough, Readable } from 'node:stream'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { gunzipped } from '../../src/platform/gunzip.js'

async function textOf(stream: Readable): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts).toString()
}

test('unpacks what was packed', async () => {
  expect(await textOf(gunzipped(Readable.from([gzipSync('some text')])))).toBe('some text')
})

test('bytes that are no gzip are told to one who reads later', async () => {
  const stream = gunzipped(Readable.from([Buffer.from('no gzip')]))
  await pause(20)
  expect(stream.destroyed).toBe(true)
  await expect(textOf(stream)).rejects.toThrow('incorrect header check')
})

test('a source that fails is told', async () => {
  const source = new PassThrough()
  const text = textOf(gunzipped(source))
  source.write(gzipSync('some text').subarray(0, 12))
  await nextTurn()
  source.destroy(new Error('connection lost'))
  await expect(text).rejects.toThrow('connection lost')
})

// Tar archives as streams: files go in and come out one after the other, none is ever held as a whole.
//
//   header  512 bytes: name (0, 100) | mode (100, 8) | size (124, 12) | time (136, 12) | checksum (148, 8) | type (156)
//           | "ustar" (257) | prefix (345, 155); numbers are octal text, sizes from 8 GB on are binary with a high bit
//   then the bytes of the file, filled up to a multiple of 512; two headers of zeros are the end

import { UserError } from '../errors.js'

const blockBytes = 512
const octalSizeMax = 0o77777777777
const sizeStart = 124
const checksumStart = 148

/** Names are at most 100 bytes here. */
export function tarHeader(name: string, byteLength: number, seconds: number): Uint8Array {
  const header = Buffer.alloc(blockBytes)
  const bytes = Buffer.from(name)
  if (bytes.length > 100) throw new UserError('invalid', `the name "${name}" is too long for tar`)
  bytes.copy(header)
  header.write('0000600\0', 100)
  header.write('0000000\0', 108)
  header.write('0000000\0', 116)
  if (byteLength <= octalSizeMax) header.write(octal(byteLength, 11), sizeStart)
  else {
    header[sizeStart] = 0x80
    header.writeBigUInt64BE(BigInt(byteLength), sizeStart + 4)
  }
  header.write(octal(seconds, 11), 136)
  header.write('        ', checksumStart)
  header.write('0', 156)
  header.write('ustar\x0000', 257)
  header.write(`${octal(sumOf(header), 6).slice(0, 6)}\0 `, checksumStart)
  return header
}

function octal(value: number, digits: number): string {
  return `${Math.max(0, value).toString(8).padStart(digits, '0')}\0`
}

function sumOf(header: Uint8Array): number {
  let sum = 0
  for (const byte of header) sum += byte
  return sum
}

/** What a file of this length is filled up with. */
export function tarFill(byteLength: number): Uint8Array {
  return new Uint8Array(-byteLength & (blockBytes - 1))
}

export const tarEnd: Uint8Array = new Uint8Array(2 * blockBytes)

export interface TarFile {
  readonly name: string
  readonly byteLength: number
  /** To be read to its end, or left alone altogether, before the next file is asked for. */
  readonly bytes: AsyncIterable<Uint8Array>
}

/**
 * Throws UserError where the bytes are no archive, or end within a file. InfluxDB's archives may end without the
 * headers of zeros: what needs to know that everything came has to see it by the files.
 */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarFile> {
  const input = new Chunks(chunks)
  while (!(await input.isAtEnd())) {
    const header = await input.take(blockBytes)
    if (header.every((byte) => byte === 0)) return
    const { name, byteLength, isFile } = parseHeader(header)
    const content = new Content(input, byteLength)
    if (isFile) yield { name, byteLength, bytes: content }
    await content.skip()
    await input.take(-byteLength & (blockBytes - 1))
  }
}

function parseHeader(header: Buffer): { name: string; byteLength: number; isFile: boolean } {
  const byteLength =
    (header[sizeStart] & 0x80) === 0
      ? Number.parseInt(header.toString('latin1', sizeStart, sizeStart + 12), 8)
      : Number(header.readBigUInt64BE(sizeStart + 4))
  const told = Number.parseInt(header.toString('latin1', checksumStart, checksumStart + 8), 8)
  const blanked = Buffer.from(header).fill(0x20, checksumStart, checksumStart + 8)
  if (told !== sumOf(blanked) || !Number.isSafeInteger(byteLength) || byteLength < 0) {
    throw new UserError('invalid', 'not a tar archive, or a damaged one')
  }
  const text = (start: number, end: number) =>
    header.toString('utf8', start, end).replace(/\0.*$/s, '')
  const prefix = text(345, 500)
  const name = prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`
  return { name, byteLength, isFile: header[156] === 0x30 || header[156] === 0 }
}

/** A stream of chunks of which so many bytes can be taken. */
class Chunks {
  readonly #chunks: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array(0)

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const next = await this.#chunks.next()
      if (next.done === true) return true
      this.#rest = next.value
    }
    return false
  }

  async take(byteLength: number): Promise<Buffer> {
    const taken = Buffer.alloc(byteLength)
    for (let at = 0; at < byteLength; ) {
      const part = await this.takeSome(byteLength - at)
      taken.set(part, at)
      at += part.length
    }
    return taken
  }

  /** At least one byte and at most so many. */
  async takeSome(byteLengthMax: number): Promise<Uint8Array> {
    if (await this.isAtEnd()) throw new UserError('invalid', 'the tar archive ends too early')
    const part = this.#rest.subarray(0, byteLengthMax)
    this.#rest = this.#rest.subarray(part.length)
    return part
  }
}

class Content implements AsyncIterable<Uint8Array> {
  readonly #input: Chunks
  #left: number

  constructor(input: Chunks, byteLength: number) {
    this.#input = input
    this.#left = byteLength
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    while (this.#left > 0) {
      const part = await this.#input.takeSome(this.#left)
      this.#left -= part.length
      yield part
    }
  }

  async skip(): Promise<void> {
    for await (const _ of this);
  }
}

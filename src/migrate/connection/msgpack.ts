// Msgpack as servers of v1 answer with it: the one form of their answers that keeps integers and floats apart. Integers
// come as bigint, floats as numbers. Documents follow each other in a stream: what is not there yet is waited for.

import { UserError } from '../../errors.js'

/** Results, series, values and their cells are a few levels; what goes deeper is no answer. */
const depthMax = 32
/** Bytes of one document: ten thousand rows of the longest texts that servers take. */
const documentBytesMax = 1024 * 1024 * 1024

/** More bytes are needed; what was read so far is read again then. */
class Unfinished extends Error {}

export class MsgpackStream {
  #bytes = new Uint8Array(0)

  /** The documents that are complete with these bytes. */
  push(bytes: Uint8Array): unknown[] {
    const joined = new Uint8Array(this.#bytes.length + bytes.length)
    joined.set(this.#bytes)
    joined.set(bytes, this.#bytes.length)
    const reader = new Reader(joined)
    const documents: unknown[] = []
    let end = 0
    try {
      while (reader.at < joined.length) {
        documents.push(reader.value())
        end = reader.at
      }
    } catch (error) {
      if (!(error instanceof Unfinished)) throw error
    }
    this.#bytes = joined.slice(end)
    if (this.#bytes.length > documentBytesMax) throw unreadable('it does not end')
    return documents
  }

  /** Whether the stream ended within a document. */
  get isBroken(): boolean {
    return this.#bytes.length > 0
  }
}

function unreadable(reason: string): UserError {
  return new UserError('invalid', `the server's answer cannot be read: ${reason}`)
}

class Reader {
  at = 0
  #depth = 0
  readonly #bytes: Uint8Array
  readonly #view: DataView

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  value(): unknown {
    const tag = this.#bytes[this.#skip(1)]
    if (tag < 0x80) return BigInt(tag)
    if (tag < 0x90) return this.#map(tag & 15)
    if (tag < 0xa0) return this.#list(tag & 15)
    if (tag < 0xc0) return this.#text(tag & 31)
    if (tag >= 0xe0) return BigInt(tag - 256)
    return this.#tagged(tag)
  }

  #tagged(tag: number): unknown {
    switch (tag) {
      case 0xc0:
        return null
      case 0xc2:
      case 0xc3:
        return tag === 0xc3
      case 0xca:
        return this.#view.getFloat32(this.#skip(4))
      case 0xcb:
        return this.#view.getFloat64(this.#skip(8))
      case 0xcc:
      case 0xcd:
      case 0xce:
      case 0xcf:
        return this.#unsigned(1 << (tag - 0xcc))
      case 0xd0:
      case 0xd1:
      case 0xd2:
      case 0xd3:
        return this.#signed(1 << (tag - 0xd0))
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#text(Number(this.#unsigned(1 << (tag - 0xd9))))
      case 0xdc:
      case 0xdd:
        return this.#list(Number(this.#unsigned(2 << (tag - 0xdc))))
      case 0xde:
      case 0xdf:
        return this.#map(Number(this.#unsigned(2 << (tag - 0xde))))
      default:
        throw unreadable(`it holds something unknown (${tag})`)
    }
  }

  #skip(length: number): number {
    const start = this.at
    if (start + length > this.#bytes.length) throw new Unfinished()
    this.at = start + length
    return start
  }

  #unsigned(width: number): bigint {
    const at = this.#skip(width)
    if (width === 8) return this.#view.getBigUint64(at)
    if (width === 4) return BigInt(this.#view.getUint32(at))
    return BigInt(width === 2 ? this.#view.getUint16(at) : this.#bytes[at])
  }

  #signed(width: number): bigint {
    return BigInt.asIntN(width * 8, this.#unsigned(width))
  }

  #text(length: number): string {
    const start = this.#skip(length)
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + start, length).toString('utf8')
  }

  #list(length: number): unknown[] {
    const list: unknown[] = []
    this.#enter()
    for (let i = 0; i < length; i++) list.push(this.value())
    this.#depth--
    return list
  }

  #map(length: number): Record<string, unknown> {
    const map: Record<string, unknown> = Object.create(null)
    this.#enter()
    for (let i = 0; i < length; i++) map[this.#key()] = this.value()
    this.#depth--
    return map
  }

  #key(): string {
    const key = this.value()
    if (typeof key !== 'string') throw unreadable('a name is no text')
    return key
  }

  #enter(): void {
    if (++this.#depth > depthMax) throw unreadable(`it is nested more than ${depthMax} deep`)
  }
}

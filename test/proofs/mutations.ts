// Inputs for fuzzers, from a seed: good examples with bytes changed, pieces doubled, cut, moved and swapped between
// examples, and words of the format put in. Texts are bytes too: what is no UTF-8 comes as it comes.

import type { Random } from '../../src/platform/random.js'

/** Nobody needs longer ones to find something, and short ones run more often. */
const lengthMax = 16 * 1024

const oddBytes = [
  0, 1, 0x7f, 0x80, 0xff, 0x0a, 0x0d, 0x20, 0x22, 0x27, 0x5c, 0x28, 0x7b, 0x2c, 0x3d,
]

export class Mutations {
  readonly #random: Random
  readonly #examples: readonly Buffer[]
  readonly #words: readonly Buffer[]

  constructor(random: Random, examples: readonly Buffer[], words: readonly string[]) {
    this.#random = random
    this.#examples = examples
    this.#words = words.map((word) => Buffer.from(word))
  }

  next(): Buffer {
    let input: Buffer = Buffer.from(this.#random.pick(this.#examples))
    for (let left = 1 + this.#random.below(6); left > 0; left--) input = this.#change(input)
    return input.subarray(0, lengthMax)
  }

  #change(input: Buffer): Buffer {
    const { below } = this.#bound()
    const at = below(input.length + 1)
    switch (below(9)) {
      case 0:
        return this.#withByte(input, at, this.#random.below(256))
      case 1:
        return this.#withByte(input, at, this.#random.pick(oddBytes))
      case 2:
        return input.subarray(0, at)
      case 3:
        return Buffer.concat([input.subarray(0, at), input.subarray(at + 1 + below(8))])
      case 4:
        return this.#inserted(input, at, this.#piece(input))
      case 5:
        return this.#inserted(input, at, this.#piece(this.#random.pick(this.#examples)))
      case 6:
        return this.#inserted(input, at, this.#word())
      case 7: {
        // Nesting and lists grow by what is repeated.
        const piece = below(2) === 0 ? this.#word() : this.#piece(input).subarray(0, 12)
        return this.#inserted(input, at, Buffer.concat(Array(1 + below(400)).fill(piece)))
      }
      default:
        return Buffer.concat([input.subarray(0, at), this.#word(), input.subarray(at + 4)])
    }
  }

  #bound() {
    return { below: (limit: number) => this.#random.below(Math.max(1, limit)) }
  }

  #word(): Buffer {
    return this.#words.length === 0 ? Buffer.from('0') : this.#random.pick(this.#words)
  }

  #piece(of: Buffer): Buffer {
    const start = this.#random.below(of.length + 1)
    return of.subarray(start, start + 1 + this.#random.below(64))
  }

  #withByte(input: Buffer, at: number, byte: number): Buffer {
    const changed = Buffer.from(input)
    if (at < changed.length) changed[at] = byte
    return changed
  }

  #inserted(input: Buffer, at: number, piece: Buffer): Buffer {
    return Buffer.concat([input.subarray(0, at), piece, input.subarray(at)])
  }
}

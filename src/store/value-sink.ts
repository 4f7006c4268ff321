// Collects single results, window by window, into a column. Integers turn wide when one of them is
// no safe integer, as everywhere.

import type { Column, FieldType, Value } from '../column/column.js'

const noNumbers: Float64Array = new Float64Array(0)

/** Most columns are numbers, and need none. */
const noTexts: string[] = []

export class ValueSink {
  readonly type: FieldType
  #numbers = noNumbers
  #wide: BigInt64Array | undefined
  #validity: Uint8Array | undefined
  #texts: string[] = noTexts
  #count = 0

  constructor(type: FieldType) {
    this.type = type
  }

  /** Values go there, until there is no more room. To be called before the first comes. */
  fill(numbers: Float64Array): void {
    this.#numbers = numbers
  }

  push(value: Value | null): void {
    const at = this.#count++
    if (this.#count > this.#numbers.length) this.#grow()
    if (value === null) {
      this.#validity ??= new Uint8Array(this.#numbers.length).fill(1, 0, at)
      return
    }
    if (this.#validity !== undefined) this.#validity[at] = 1
    if (typeof value === 'string') {
      if (this.#texts === noTexts) this.#texts = []
      this.#numbers[at] = this.#texts.length
      this.#texts.push(value)
    } else if (typeof value === 'bigint') this.#pushWide(at, value)
    else if (this.#wide !== undefined) this.#wide[at] = BigInt(value)
    else this.#numbers[at] = Number(value)
  }

  /** Whether numbers can be written into `numbers`. */
  get isPlain(): boolean {
    return this.#wide === undefined
  }

  get numbers(): Float64Array {
    return this.#numbers
  }

  /** So many values more, that somebody writes into `numbers`. */
  extend(count: number): void {
    const at = this.#count
    this.#count += count
    while (this.#count > this.#numbers.length) this.#grow()
    this.#validity?.fill(1, at, this.#count)
  }

  #pushWide(at: number, value: bigint): void {
    const narrow = Number(value)
    if (this.#wide === undefined && Number.isSafeInteger(narrow)) {
      this.#numbers[at] = narrow
      return
    }
    this.#wide ??= this.#widened(at)
    this.#wide[at] = BigInt.asIntN(64, value)
  }

  /** As much room, with the values so far: there may be room for thousands. */
  #widened(count: number): BigInt64Array {
    const wide = new BigInt64Array(this.#numbers.length)
    for (let i = 0; i < count; i++) wide[i] = BigInt(this.#numbers[i])
    return wide
  }

  /** What was pushed as value number `row`. */
  at(row: number): Value | null {
    if (this.#validity !== undefined && this.#validity[row] === 0) return null
    if (this.type === 'string') return this.#texts[this.#numbers[row]]
    return this.#wide === undefined ? this.#numbers[row] : this.#wideAt(row)
  }

  #wideAt(row: number): bigint {
    const value = this.#wide![row]
    return this.type === 'unsigned' ? BigInt.asUintN(64, value) : value
  }

  #grow(): void {
    const length = this.#numbers.length * 2
    const numbers = new Float64Array(length)
    numbers.set(this.#numbers)
    this.#numbers = numbers
    if (this.#wide !== undefined) {
      const wide = new BigInt64Array(length)
      wide.set(this.#wide)
      this.#wide = wide
    }
    if (this.#validity !== undefined) {
      const validity = new Uint8Array(length)
      validity.set(this.#validity)
      this.#validity = validity
    }
  }

  /** What was pushed; valid until the next push. */
  column(): Column {
    const validity = this.#validity
    switch (this.type) {
      case 'float':
        return { type: 'float', values: this.#numbers, validity }
      case 'integer':
        return { type: 'integer', values: this.#wide ?? this.#numbers, validity }
      case 'unsigned':
        if (this.#wide === undefined) return { type: 'unsigned', values: this.#numbers, validity }
        return { type: 'unsigned', values: new BigUint64Array(this.#wide.buffer), validity }
      case 'boolean':
        return { type: 'boolean', values: Uint8Array.from(this.#pushed()), validity }
      case 'string':
        return this.#stringColumn(validity)
    }
  }

  #pushed(): Float64Array {
    return this.#numbers.subarray(0, this.#count)
  }

  #stringColumn(validity: Uint8Array | undefined): Column {
    const texts = this.#texts.map((text) => Buffer.from(text))
    const offsets = new Uint32Array(texts.length + 2)
    texts.forEach((text, i) => {
      offsets[i + 1] = offsets[i] + text.length
    })
    const dictionary = { offsets, bytes: Buffer.concat(texts), count: texts.length }
    return { type: 'string', values: Uint32Array.from(this.#pushed()), dictionary, validity }
  }

  /** Ready for other values; columns that were taken are overwritten. */
  clear(): void {
    this.#count = 0
    this.#wide = undefined
    this.#validity = undefined
    this.#texts = noTexts
  }
}

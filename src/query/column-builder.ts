// Makes columns value by value, for what languages compute: results of functions, filled windows,
// rows brought together. Integers stay in a Float64Array until one is not a safe integer. Strings
// are numbered as they come; equal ones share an entry.

import {
  type Column,
  dictionaryEntry,
  type FieldType,
  type StringColumn,
  type Utf8Dictionary,
  type Value,
} from '../column/column.js'
import { assert } from '../errors.js'

type Values = Float64Array | BigInt64Array | BigUint64Array | Uint8Array | Uint32Array

export class ColumnBuilder {
  readonly type: FieldType
  #values: Values
  #validity: Uint8Array | undefined
  #strings: StringTable | undefined
  #count = 0

  constructor(type: FieldType, capacity = 16) {
    this.type = type
    this.#values = emptyValues(type, capacity)
    if (type === 'string') this.#strings = new StringTable()
  }

  get count(): number {
    return this.#count
  }

  pushNull(): void {
    this.#room(1)
    if (this.#validity === undefined) {
      this.#validity = new Uint8Array(this.#values.length).fill(1, 0, this.#count)
    }
    this.#validity[this.#count] = 0
    // The arrays may have been used before: a hole reads as zero, not as what was there.
    if (typeof this.#values[this.#count] === 'bigint')
      (this.#values as BigInt64Array)[this.#count] = 0n
    else (this.#values as Float64Array)[this.#count] = 0
    this.#count++
  }

  /** A float, or an integer or unsigned value that is a safe integer. */
  pushNumber(value: number): void {
    this.#room(1)
    if (isBig(this.#values)) this.#values[this.#count] = BigInt(value)
    else this.#values[this.#count] = value
    this.#took()
  }

  /** An integer or unsigned value of any size; wraps at 64 bits. */
  pushBigint(value: bigint): void {
    const fits = value <= maxSafe && value >= -maxSafe
    if (fits && !isBig(this.#values)) return this.pushNumber(Number(value))
    this.#room(1)
    if (!isBig(this.#values)) this.#widen()
    const values = this.#values as BigInt64Array
    values[this.#count] = value
    this.#took()
  }

  pushBoolean(value: boolean): void {
    this.#room(1)
    ;(this.#values as Uint8Array)[this.#count] = value ? 1 : 0
    this.#took()
  }

  pushString(value: string): void {
    this.#room(1)
    ;(this.#values as Uint32Array)[this.#count] = this.#strings!.number(value)
    this.#took()
  }

  push(value: Value | null): void {
    if (value === null) this.pushNull()
    else if (typeof value === 'number') this.pushNumber(value)
    else if (typeof value === 'bigint') {
      if (this.type === 'float') this.pushNumber(Number(value))
      else this.pushBigint(value)
    } else if (typeof value === 'boolean') this.pushBoolean(value)
    else this.pushString(value)
  }

  /** A value of a column of the same type, or its absence. */
  pushFrom(column: Column, row: number): void {
    if (column.validity !== undefined && column.validity[row] === 0) return this.pushNull()
    assert(column.type === this.type, `a ${column.type} goes into a column of ${this.type}`)
    switch (column.type) {
      case 'string': {
        this.#room(1)
        const entry = this.#strings!.fromDictionary(column.dictionary, column.values[row])
        ;(this.#values as Uint32Array)[this.#count] = entry
        this.#took()
        break
      }
      case 'boolean':
        this.pushBoolean(column.values[row] !== 0)
        break
      default: {
        const value = column.values[row]
        if (typeof value === 'bigint') this.pushBigint(value)
        else this.pushNumber(value)
      }
    }
  }

  /** Rows `start` up to `stop` of a column of the same type. */
  pushRange(column: Column, start: number, stop: number): void {
    const isPlain = column.type !== 'string' && !isBig(column.values) && !isBig(this.#values)
    if (!isPlain) {
      for (let row = start; row < stop; row++) this.pushFrom(column, row)
      return
    }
    assert(column.type === this.type, `a ${column.type} goes into a column of ${this.type}`)
    this.#room(stop - start)
    const values = column.values.subarray(start, stop) as Float64Array
    ;(this.#values as Float64Array).set(values, this.#count)
    this.#copyValidity(column.validity, start, stop)
    this.#count += stop - start
  }

  pushNulls(count: number): void {
    for (let i = 0; i < count; i++) this.pushNull()
  }

  #copyValidity(validity: Uint8Array | undefined, start: number, stop: number): void {
    if (validity === undefined && this.#validity === undefined) return
    this.#validity ??= new Uint8Array(this.#values.length).fill(1, 0, this.#count)
    if (validity === undefined) this.#validity.fill(1, this.#count, this.#count + stop - start)
    else this.#validity.set(validity.subarray(start, stop), this.#count)
  }

  /** The column so far. The builder may not be used any more. */
  finish(): Column {
    const { type } = this
    const values = cut(this.#values, this.#count)
    const validity = this.#validity && cut(this.#validity, this.#count)
    if (type !== 'string') return { type, values, validity } as Column
    return {
      type,
      values: values as Uint32Array,
      dictionary: this.#strings!.dictionary(),
      validity,
    }
  }

  #took(): void {
    if (this.#validity !== undefined) this.#validity[this.#count] = 1
    this.#count++
  }

  #room(more: number): void {
    const needed = this.#count + more
    if (needed <= this.#values.length) return
    const capacity = Math.max(needed, this.#values.length * 2, 16)
    const grown = new (this.#values.constructor as Float64ArrayConstructor)(capacity)
    grown.set(this.#values as Float64Array)
    this.#values = grown
    if (this.#validity !== undefined) {
      const validity = new Uint8Array(capacity)
      validity.set(this.#validity)
      this.#validity = validity
    }
  }

  #widen(): void {
    const wide =
      this.type === 'unsigned'
        ? new BigUint64Array(this.#values.length)
        : new BigInt64Array(this.#values.length)
    for (let i = 0; i < this.#count; i++) wide[i] = BigInt(this.#values[i])
    this.#values = wide
  }
}

/** A view costs as much as the values of a short array: none where all of it is meant. */
function cut<T extends Values>(values: T, count: number): T {
  return count === values.length ? values : (values.subarray(0, count) as T)
}

const maxSafe = BigInt(Number.MAX_SAFE_INTEGER)

function isBig(values: Values): values is BigInt64Array | BigUint64Array {
  return values instanceof BigInt64Array || values instanceof BigUint64Array
}

function emptyValues(type: FieldType, capacity: number): Values {
  if (type === 'boolean') return new Uint8Array(capacity)
  if (type === 'string') return new Uint32Array(capacity)
  return new Float64Array(capacity)
}

/** Numbers strings; remembers which entries of the last dictionary it has seen. */
class StringTable {
  readonly #numbers = new Map<string, number>()
  readonly #strings: string[] = []
  #source: Utf8Dictionary | undefined
  #fromSource = new Map<number, number>()

  number(text: string): number {
    let number = this.#numbers.get(text)
    if (number === undefined) {
      number = this.#strings.length
      this.#numbers.set(text, number)
      this.#strings.push(text)
    }
    return number
  }

  fromDictionary(dictionary: Utf8Dictionary, entry: number): number {
    if (dictionary !== this.#source) {
      this.#source = dictionary
      this.#fromSource = new Map()
    }
    let number = this.#fromSource.get(entry)
    if (number === undefined) {
      number = this.number(dictionaryEntry(dictionary, entry))
      this.#fromSource.set(entry, number)
    }
    return number
  }

  dictionary(): Utf8Dictionary {
    return dictionaryOf(this.#strings)
  }
}

export function dictionaryOf(strings: readonly string[]): Utf8Dictionary {
  const offsets = new Uint32Array(strings.length + 1)
  // In one piece where that can be: to turn a short text into bytes by itself takes longer than to print it.
  const all = strings.join('')
  const bytes = Buffer.from(all)
  if (bytes.length === all.length) {
    for (let i = 0; i < strings.length; i++) offsets[i + 1] = offsets[i] + strings[i].length
    return { offsets, bytes, count: strings.length }
  }
  const parts = strings.map((text) => Buffer.from(text))
  for (let i = 0; i < parts.length; i++) offsets[i + 1] = offsets[i] + parts[i].length
  return { offsets, bytes: Buffer.concat(parts), count: strings.length }
}

/** The same string, or none, in every row. */
export function constantString(text: string | null, rowCount: number): StringColumn {
  const validity = text === null ? new Uint8Array(rowCount) : undefined
  const dictionary = dictionaryOf([text ?? ''])
  return { type: 'string', values: new Uint32Array(rowCount), dictionary, validity }
}

/** The rows named by `order`, in that order. */
export function gatherColumn(column: Column, order: Uint32Array): Column {
  const source = column.values as Float64Array
  const values = new (source.constructor as Float64ArrayConstructor)(order.length)
  for (let i = 0; i < order.length; i++) values[i] = source[order[i]]
  let validity: Uint8Array | undefined
  if (column.validity !== undefined) {
    validity = new Uint8Array(order.length)
    for (let i = 0; i < order.length; i++) validity[i] = column.validity[order[i]]
  }
  return { ...column, values, validity } as Column
}

// A batch's columns sorted by kind into parallel arrays, so that the loop over its values reads each
// kind of typed array at a place of its own. A place that meets several kinds of arrays has to find
// out each time which one it is, and that costs more than to print a small number.

import { type Column, isWide } from '../column/column.js'
import type { ResultBatch, ResultColumn } from '../query/language.js'
import { type EpochUnit, MomentText } from './moment-text.js'

export const slotKinds = {
  float: 0,
  integer: 1,
  /** Integers and unsigned beyond 2^53, as bigint. */
  wide: 2,
  boolean: 3,
  string: 4,
  /** A moment as the encoding has it. */
  moment: 5,
  /** A moment as a number since 1970. */
  epoch: 6,
  /** Texts in a list. */
  list: 7,
} as const

const noNumbers = new Float64Array(0)
const noWides = new BigInt64Array(0)
const noBytes = new Uint8Array(0)
const noEntries = new Uint32Array(0)
/** For columns that are no moments: never used. */
const noMoments = new MomentText()
const noLists: readonly (readonly string[])[] = []

export class ColumnSlots {
  count = 0
  readonly kinds: number[] = []
  readonly validity: (Uint8Array | undefined)[] = []
  readonly numbers: Float64Array[] = []
  readonly wides: (BigInt64Array | BigUint64Array)[] = []
  readonly booleans: Uint8Array[] = []
  readonly entries: Uint32Array[] = []
  readonly offsets: Uint32Array[] = []
  readonly bytes: Uint8Array[] = []
  readonly moments: MomentText[] = []
  readonly lists: (readonly (readonly string[])[])[] = []
  readonly unit: EpochUnit

  readonly #isEpoch: boolean

  constructor(time: EpochUnit | undefined) {
    this.unit = time ?? 'ns'
    this.#isEpoch = time !== undefined
  }

  /** Columns before `from` are left as they are: their values are not asked for. */
  use(batch: ResultBatch, from = 0): void {
    const { columns, zone } = batch
    while (this.kinds.length < columns.length) this.#add()
    this.count = columns.length
    for (let i = from; i < columns.length; i++) this.#set(i, columns[i], zone)
  }

  #add(): void {
    this.kinds.push(slotKinds.float)
    this.validity.push(undefined)
    this.numbers.push(noNumbers)
    this.wides.push(noWides)
    this.booleans.push(noBytes)
    this.entries.push(noEntries)
    this.offsets.push(noEntries)
    this.bytes.push(noBytes)
    this.moments.push(noMoments)
    this.lists.push(noLists)
  }

  #set(i: number, column: ResultColumn, zone: string | undefined): void {
    this.validity[i] = column.validity
    switch (column.type) {
      case 'time':
        this.kinds[i] = i === 0 && this.#isEpoch ? slotKinds.epoch : slotKinds.moment
        if (this.moments[i] === noMoments) this.moments[i] = new MomentText()
        this.moments[i].use(column.times, zone)
        break
      case 'string':
        this.kinds[i] = slotKinds.string
        this.entries[i] = column.values
        this.offsets[i] = column.dictionary.offsets
        this.bytes[i] = column.dictionary.bytes
        break
      case 'boolean':
        this.kinds[i] = slotKinds.boolean
        this.booleans[i] = column.values
        break
      case 'list':
        this.kinds[i] = slotKinds.list
        this.lists[i] = column.lists
        break
      default:
        this.#setNumbers(i, column)
    }
  }

  #setNumbers(i: number, column: Column): void {
    if (isWide(column)) {
      this.kinds[i] = slotKinds.wide
      this.wides[i] = column.values
    } else {
      this.kinds[i] = column.type === 'float' ? slotKinds.float : slotKinds.integer
      this.numbers[i] = column.values as Float64Array
    }
  }
}

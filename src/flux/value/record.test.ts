// Records with places: what `{source with …}` makes of records, of rows, and of what it made itself, and
// that rows are not copied for it.

import { expect, test } from 'vitest'
import {
  type ExtendedRecord,
  PlacedRecord,
  RecordExtension,
  RecordLayout,
  SlotRecord,
} from './record.js'
import { type FluxRecord, type FluxValue, MapRecord } from './value.js'

/** As rows of tables are: one view, moved on. */
class Cursor extends PlacedRecord {
  readonly #layout = new RecordLayout(['a', 'b'])
  values: FluxValue[] = [1n, 2n]

  get shape(): object {
    return this.#layout
  }

  place(name: string): number {
    return this.#layout.place(name)
  }

  at(place: number): FluxValue {
    return this.values[place]
  }

  get(name: string): FluxValue | undefined {
    const place = this.place(name)
    return place < 0 ? undefined : this.values[place]
  }

  names(): Iterable<string> {
    return this.#layout.names
  }
}

const contents = (record: FluxRecord) => [...record.names()].map((name) => [name, record.get(name)])

test('properties of the source stay where they stood, new ones follow', () => {
  const extension = new RecordExtension(['b', 'c'])
  const source = new SlotRecord(new RecordLayout(['a', 'b']), [1n, 2n])
  const extended = extension.extend(source, [20n, 30n])
  expect(contents(extended)).toEqual([
    ['a', 1n],
    ['b', 20n],
    ['c', 30n],
  ])
  expect(extended).toBeInstanceOf(SlotRecord)
  const other = new MapRecord(
    new Map<string, FluxValue>([
      ['c', 3n],
      ['z', 4n],
    ]),
  )
  expect(contents(extension.extend(other, [20n, 30n]))).toEqual([
    ['c', 30n],
    ['z', 4n],
    ['b', 20n],
  ])
})

test('a row is not copied, and however often it is extended one level lies over it', () => {
  const row = new Cursor()
  const [first, second] = [new RecordExtension(['b', 'c']), new RecordExtension(['c', 'd'])]
  const once = first.extend(row, [20n, 30n]) as ExtendedRecord
  const twice = second.extend(once, [300n, 400n]) as ExtendedRecord
  expect(once.base).toBe(row)
  expect(twice.base).toBe(row)
  expect(contents(twice)).toEqual([
    ['a', 1n],
    ['b', 20n],
    ['c', 300n],
    ['d', 400n],
  ])
  expect(contents(once)).toEqual([
    ['a', 1n],
    ['b', 20n],
    ['c', 30n],
  ])
  row.values = [10n, 2n]
  expect(twice.get('a')).toBe(10n)
  expect(twice.get('x')).toBeUndefined()
})

test('layouts are worked out once for sources of one shape', () => {
  const extension = new RecordExtension(['c'])
  const row = new Cursor()
  const [one, two] = [extension.extend(row, [1n]), extension.extend(row, [2n])] as ExtendedRecord[]
  expect(one.layout).toBe(two.layout)
})

// CommandGetSqlInfo: what the server is and which SQL it understands, for drivers that ask before they
// write statements. The numbers are those of the protocol's SqlInfo; the values are what the v3 products
// answer, because drivers look for them.

import type { ArrowVector } from '../result/arrow-batch.js'
import { type ArrowField, int32, int64, utf8 } from '../result/arrow-schema.js'
import {
  booleanVector,
  type FixedAnswer,
  fixedAnswer,
  integerColumn,
  numberVector,
  textVector,
} from './fixed-answer.js'

type InfoValue =
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'flag'; readonly value: boolean }
  | { readonly kind: 'long'; readonly value: number }
  /** Numbers of 32 bits: bit masks and members of enumerations. */
  | { readonly kind: 'mask'; readonly value: number }
  | { readonly kind: 'texts'; readonly value: readonly string[] }
  /** Which types can be cast to which: none is told. */
  | { readonly kind: 'map' }

const text = (value: string): InfoValue => ({ kind: 'text', value })
const flag = (value: boolean): InfoValue => ({ kind: 'flag', value })
const long = (value: number): InfoValue => ({ kind: 'long', value })
const mask = (value: number): InfoValue => ({ kind: 'mask', value })
const texts = (...value: string[]): InfoValue => ({ kind: 'texts', value })

const lengthMax = long(2147483647)

const values: readonly (readonly [id: number, value: InfoValue])[] = [
  [0, text('InfluxDB IOx')],
  [1, text('2')],
  [2, text('1.3')],
  [3, flag(true)],
  // SQL, Substrait, transactions, cancelling; timeouts of statements and transactions.
  [4, flag(true)],
  [5, flag(false)],
  [8, mask(0)],
  [9, flag(false)],
  [100, mask(0)],
  [101, mask(0)],
  // DDL of catalogs, schemas, tables.
  [500, flag(false)],
  [501, flag(false)],
  [502, flag(false)],
  // Identifiers: lower case; their quote; quoted ones are told apart without their case.
  [503, long(3)],
  [504, text('"')],
  [505, long(1)],
  [506, flag(true)],
  // Nulls are sorted high.
  [507, long(0)],
  [508, texts('date_bin', 'date_bin_gapfill', 'interpolate', 'locf')],
  [509, texts('abs', 'acos', 'asin', 'atan', 'atan2', 'ceil', 'cos', 'exp', 'floor', 'ln')],
  [510, texts('ascii', 'chr', 'concat', 'length', 'lower', 'lpad', 'replace', 'substr', 'upper')],
  [511, texts('arrow_typeof')],
  [512, texts('date_bin', 'date_part', 'date_trunc', 'extract', 'now', 'to_timestamp')],
  [513, text('\\')],
  [514, text('')],
  [515, flag(true)],
  [516, flag(true)],
  [517, { kind: 'map' }],
  [518, flag(false)],
  [519, flag(false)],
  [520, flag(true)],
  [521, flag(true)],
  [522, mask(3)],
  [523, flag(true)],
  [524, flag(true)],
  [525, mask(3)],
  [526, mask(7)],
  [527, flag(false)],
  [528, mask(7)],
  [529, text('schema')],
  [530, text('')],
  [531, text('catalog')],
  [532, flag(true)],
  [533, mask(0)],
  [534, mask(0)],
  [535, mask(0)],
  [536, flag(false)],
  [537, flag(false)],
  [538, mask(15)],
  [539, flag(true)],
  [540, mask(3)],
  // Lengths and numbers: 541 to 561, of which 556 asks whether rows count their large values.
  ...Array.from({ length: 21 }, (_, i) => {
    return [541 + i, i === 15 ? flag(true) : lengthMax] as const
  }),
  [562, long(0)],
  [563, flag(false)],
]

const kinds: readonly InfoValue['kind'][] = ['text', 'flag', 'long', 'mask', 'texts', 'map']

function listField(name: string, item: ArrowField): ArrowField {
  return { name, type: { kind: 'list' }, isNullable: true, children: [item] }
}

const mapEntries: ArrowField = {
  name: 'entries',
  type: { kind: 'struct' },
  isNullable: false,
  children: [
    { name: 'keys', type: int32, isNullable: false },
    listField('values', { name: 'item', type: int32, isNullable: true }),
  ],
}

const unionField: ArrowField = {
  name: 'value',
  type: { kind: 'union' },
  isNullable: false,
  children: [
    { name: 'string_value', type: utf8, isNullable: true },
    { name: 'bool_value', type: { kind: 'boolean' }, isNullable: true },
    { name: 'bigint_value', type: int64, isNullable: true },
    { name: 'int32_bitmask', type: int32, isNullable: true },
    listField('string_list', { name: 'item', type: utf8, isNullable: true }),
    {
      name: 'int32_to_int32_list_map',
      type: { kind: 'map' },
      isNullable: true,
      children: [mapEntries],
    },
  ],
}

/** `ids` empty: all. Those that nothing is known of are left out. */
export function sqlInfoAnswer(ids: readonly number[]): FixedAnswer {
  const chosen = values.filter(([id]) => ids.length === 0 || ids.includes(id))
  const names = integerColumn(
    'info_name',
    chosen.map(([id]) => id),
    { bits: 32, isSigned: false },
  )
  const vector = unionVector(chosen.map(([, value]) => value))
  return fixedAnswer(chosen.length, [names, { field: unionField, vector }])
}

/** Dense: each row says which child has its value, and at which place of the child. */
function unionVector(rows: readonly InfoValue[]): ArrowVector {
  const counts = new Map<InfoValue['kind'], number>()
  const places = rows.map(({ kind }) => {
    const place = counts.get(kind) ?? 0
    counts.set(kind, place + 1)
    return place
  })
  const types = Uint8Array.from(rows, ({ kind }) => kinds.indexOf(kind))
  const offsets = new Uint8Array(Int32Array.from(places).buffer)
  const children = [
    textVector(of(rows, 'text')),
    booleanVector(of(rows, 'flag')),
    numberVector(of(rows, 'long'), 64),
    numberVector(of(rows, 'mask'), 32),
    textLists(of(rows, 'texts')),
    emptyMaps(counts.get('map') ?? 0),
  ]
  return { rowCount: rows.length, nullCount: 0, buffers: [types, offsets], children }
}

type ValueOf<K extends InfoValue['kind']> = Extract<
  InfoValue,
  { readonly kind: K; readonly value: unknown }
>['value']

function of<K extends InfoValue['kind']>(rows: readonly InfoValue[], kind: K): ValueOf<K>[] {
  return rows.flatMap((row) =>
    row.kind === kind && 'value' in row ? [row.value as ValueOf<K>] : [],
  )
}

function textLists(lists: readonly (readonly string[])[]): ArrowVector {
  const ends = [0]
  for (const list of lists) ends.push(ends[ends.length - 1] + list.length)
  const offsets = new Uint8Array(Int32Array.from(ends).buffer)
  const children = [textVector(lists.flat())]
  return { rowCount: lists.length, nullCount: 0, buffers: [new Uint8Array(0), offsets], children }
}

function emptyMaps(rowCount: number): ArrowVector {
  const none = new Uint8Array(0)
  const offsets = (count: number) => new Uint8Array(4 * (count + 1))
  const numbers = numberVector([], 32)
  const lists = { rowCount: 0, nullCount: 0, buffers: [none, offsets(0)], children: [numbers] }
  const entries = { rowCount: 0, nullCount: 0, buffers: [none], children: [numbers, lists] }
  return { rowCount, nullCount: 0, buffers: [none, offsets(rowCount)], children: [entries] }
}

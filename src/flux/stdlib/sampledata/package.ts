// The package `sampledata`: two small tables that the
// documentation's examples are written with.

import type { CellType } from '../../../query/table.js'
import type { StreamNode } from '../../node/node.js'
import { type Call, type Definition, type Definitions, native } from '../../package/define.js'
import { constantCells } from '../../table/cells.js'
import { CellsBuilder } from '../../table/cells-builder.js'
import { type Table, tableOf } from '../../table/table.js'
import { GroupKey } from '../../value/key.js'

const startNs = 1_609_459_200_000_000_000n
const stepNs = 10_000_000_000n

type Sample = number | string | boolean

const floats = [
  [-2.18, 10.92, 7.35, 17.53, 15.23, 4.43],
  [19.85, 4.97, -3.75, 19.77, 13.86, 1.86],
]
const strings = [
  ['smpl_g9qczs', 'smpl_0mgv9n', 'smpl_phw664', 'smpl_guvzy4', 'smpl_5v3cce', 'smpl_s9fmgy'],
  ['smpl_b5eida', 'smpl_eu4oxp', 'smpl_5g7tz4', 'smpl_sox1ut', 'smpl_wfm757', 'smpl_dtn2bv'],
]
const booleans = [
  [true, true, false, true, false, false],
  [false, true, false, true, true, false],
]
/** Rows that are empty when nulls are asked for. */
const nullRows = [new Set([1, 3, 4]), new Set([0, 4])]

function samples(
  type: CellType,
  rows: readonly (readonly Sample[])[],
  convert: (sample: Sample) => number | bigint | boolean | string = (sample) => sample,
): Definition {
  const signature = `(?includeNull: bool) => stream[{_time: time, tag: string, _value: ${type}}]`
  return native(signature, (call: Call): StreamNode => {
    const includesNull = call.bool('includeNull', false)
    const tables = rows.map((values, i) =>
      sampleTable(
        type,
        `t${i + 1}`,
        values.map((value, row) => (includesNull && nullRows[i].has(row) ? null : convert(value))),
      ),
    )
    return call.node([], async function* () {
      yield* tables
    })
  })
}

function sampleTable(
  type: CellType,
  tag: string,
  values: readonly (number | bigint | boolean | string | null)[],
): Table {
  const times = new CellsBuilder('time')
  const cells = new CellsBuilder(type)
  for (const [row, value] of values.entries()) {
    times.push(startNs + BigInt(row) * stepNs)
    cells.push(value)
  }
  const key = GroupKey.of([{ name: 'tag', type: 'string', value: tag }])
  const columns = [
    { name: '_time', type: 'time' },
    { name: 'tag', type: 'string' },
    { name: '_value', type },
  ] as const
  const chunk = {
    rowCount: values.length,
    columns: [times.finish(), constantCells('string', tag), cells.finish()],
  }
  return tableOf(key, columns, [chunk])
}

const whole = (sample: Sample) => BigInt(Math.trunc(Number(sample)))

export const sampledataBuiltins: Definitions = {
  float: samples('float', floats),
  int: samples('int', floats, whole),
  uint: samples('uint', floats, (sample) => BigInt.asUintN(64, whole(sample))),
  string: samples('string', strings),
  bool: samples('bool', booleans),
  numericBool: samples('int', booleans, whole),
}

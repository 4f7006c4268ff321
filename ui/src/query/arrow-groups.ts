// Which rows of an Arrow answer are one table. InfluxQL and Flux answer with many tables; as Arrow they are one, and
// what told them apart are columns: of Flux the result and the table's number, which come first, of InfluxQL the
// measurement and the tags that the schema's metadata lists. Rows of one table follow each other.

import type { FlatTable } from './flat-table.js'

export interface Grouping {
  /** Rows are of one table as long as none of these columns changes. */
  readonly keys: readonly number[]
  /** Whose text is the table's name. */
  readonly name: number
  /** Columns that are the same for all rows of a table, by the names of its tags. */
  readonly tags: ReadonlyMap<string, number>
  /** Columns that tell the table and are no data of it. */
  readonly hidden: ReadonlySet<number>
}

const influxqlKey = 'iox::influxql::group_key::metadata'
const fluxKey = 'flux::group'

interface InfluxqlGroups {
  readonly measurement_column_index: number
  readonly tag_key_columns: readonly {
    readonly tag_key: string
    readonly column_index: number
    readonly is_projected: boolean
  }[]
}

/** Undefined: rows of one table. `isFlux`: the answer of a language whose tables are numbered. */
export function groupingOf(schema: FlatTable, isFlux: boolean): Grouping | undefined {
  const fields = schema.tables(1)
  if (isFlux) return fields.length < 2 ? undefined : fluxGrouping(fields)
  const told = metadataOf(schema, 2).get(influxqlKey)
  return told === undefined ? undefined : influxqlGrouping(JSON.parse(told) as InfluxqlGroups)
}

function fluxGrouping(fields: readonly FlatTable[]): Grouping {
  const tags = new Map<string, number>()
  for (const [i, field] of fields.entries()) {
    if (i >= 2 && metadataOf(field, 6).has(fluxKey)) tags.set(field.text(0), i)
  }
  return { keys: [0, 1], name: 0, tags, hidden: new Set([0, 1]) }
}

function influxqlGrouping(groups: InfluxqlGroups): Grouping {
  const { measurement_column_index: name, tag_key_columns: columns } = groups
  const tags = new Map(columns.map((one) => [one.tag_key, one.column_index]))
  const hidden = columns.filter((one) => !one.is_projected).map((one) => one.column_index)
  return { keys: [name, ...tags.values()], name, tags, hidden: new Set([name, ...hidden]) }
}

/** Pairs of a key and its value. */
function metadataOf(table: FlatTable, slot: number): Map<string, string> {
  return new Map(table.tables(slot).map((pair) => [pair.text(0), pair.text(1)]))
}

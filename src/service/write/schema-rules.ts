// Whose words a write is refused in by the columns that are known: buckets with an explicit schema take nothing that it
// does not name; tables that v3 defined take further columns, and keep those that were named what they are.

import type { FieldType } from '../../column/column.js'
import { fieldConflict } from '../../store/admission-rules.js'
import type { SchemaRules } from './schema-check.js'

/** As reports about refused points name types. */
const typeNames: Readonly<Record<FieldType, string>> = {
  float: 'Float',
  integer: 'Integer',
  unsigned: 'UnsignedInteger',
  boolean: 'Boolean',
  string: 'String',
}

export const explicitSchema: SchemaRules = {
  measurement: (name) => `schema: measurement "${name}" not permitted by schema`,

  field(_table, { name, column: { type: got } }, known) {
    if (known === undefined) return `schema: field "${name}" not permitted by schema`
    if (known.type !== 'field') return mixedUp(name, 'field', known.type)
    if (got === known.dataType) return undefined
    const types = `got ${typeNames[got]} but expected ${typeNames[known.dataType]}`
    return `schema: field type for field "${name}" not permitted by schema; ${types}`
  },

  tag(name, known) {
    if (known === undefined) return `schema: tag "${name}" not permitted by schema`
    return known.type === 'tag' ? undefined : mixedUp(name, 'tag', known.type)
  },
}

function mixedUp(name: string, got: string, expected: string): string {
  const types = `got ${got} but expected ${expected}`
  return `schema: column type for "${name}" not permitted by schema; ${types}`
}

/** In the words of InfluxDB 3, and of every store where a field has another type. */
export const definedTable: SchemaRules = {
  measurement: () => undefined,

  field({ measurement }, { name, column: { type: got } }, known) {
    if (known === undefined || (known.type === 'field' && known.dataType === got)) return undefined
    if (known.type === 'field') return fieldConflict(measurement, name, got, known.dataType)
    return wrongColumn(name, known.type, fieldColumn(got))
  },

  tag(name, known) {
    if (known === undefined || known.type === 'tag') return undefined
    return wrongColumn(
      name,
      known.type === 'field' ? fieldColumn(known.dataType) : known.type,
      'tag',
    )
  },
}

function fieldColumn(type: FieldType): string {
  return `field::${type === 'unsigned' ? 'uinteger' : type}`
}

function wrongColumn(name: string, expected: string, got: string): string {
  const types = `expected iox::column_type::${expected}, got iox::column_type::${got}`
  return `invalid column type for column '${name}', ${types}`
}

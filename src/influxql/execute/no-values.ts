// A column in which no row has a value: of a field that the rows do not have, or of a call that gave
// nothing.

import type { Column, FieldType, Utf8Dictionary } from '../../column/column.js'

export function noValues(type: FieldType, count: number): Column {
  const validity = new Uint8Array(count)
  switch (type) {
    case 'string':
      return { type, values: new Uint32Array(count), dictionary: noTexts, validity }
    case 'boolean':
      return { type, values: new Uint8Array(count), validity }
    default:
      return { type, values: new Float64Array(count), validity }
  }
}

/** With one entry, the empty text: rows without a value point at it. */
const noTexts: Utf8Dictionary = {
  offsets: new Uint32Array(2),
  bytes: new Uint8Array(0),
  count: 1,
}

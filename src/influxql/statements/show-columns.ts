// The columns of the SHOW statements that read the index: known before there is a row, since their tables
// are left out where nothing is found.

import type { TableShape } from './table.js'

export const showColumns = {
  'show-measurements': [['name', 'string']],
  'show-series': [['key', 'string']],
  'show-tag-keys': [['tagKey', 'string']],
  'show-tag-values': [
    ['key', 'string'],
    ['value', 'string'],
  ],
  'show-field-keys': [
    ['fieldKey', 'string'],
    ['fieldType', 'string'],
  ],
} as const satisfies Readonly<Record<string, TableShape['columns']>>

// The columns of the SHOW statements that read the index: known before there is a row, since their tables
// are left out where nothing is found.

import type { ShowStatement } from '../syntax/ast.js'
import type { TableShape } from './table.js'

export const showColumns = {
  'show-measurements': [['name', 'string']],
  /** ON database.policy, and with stars in place of either. */
  'show-policy-measurements': [
    ['name', 'string'],
    ['database', 'string'],
    ['retention policy', 'string'],
  ],
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

type ShowMeasurements = Extract<ShowStatement, { kind: 'show-measurements' }>

/** A statement that asks policy by policy, and not for the whole of a database, says where each name is from. */
export function measurementColumns(statement: ShowMeasurements): TableShape['columns'] {
  const { policy, allDatabases, allPolicies } = statement
  const isOfPolicies = policy !== undefined || allDatabases === true || allPolicies === true
  return showColumns[isOfPolicies ? 'show-policy-measurements' : 'show-measurements']
}

// Rows as a table: the columns that the cell chooses, under the names it gives them, with its decimal places and its
// form of moments.

import { useMemo } from 'react'
import type { ViewProperties } from '../api/dashboards.js'
import { valueText } from '../chart/format.js'
import { type Column, cellText, type Result } from '../query/result.js'
import { ResultTable, type TableOrder } from '../table/result-table.js'
import { momentText } from './moment-format.js'
import { digitsOf, listOf, membersOf, textOf } from './view-properties.js'

export interface TableCellProps {
  readonly properties: ViewProperties
  readonly result: Result
  readonly label: string
}

const hiddenAlways = ['_start', '_stop']

export function TableCell({ properties, result, label }: TableCellProps) {
  const options = useMemo(() => columnOptions(properties), [properties])
  const form = useMemo(() => cellForm(properties), [properties])
  const order = useMemo(() => orderOf(properties), [properties])
  return (
    <ResultTable
      result={result}
      label={`Rows of ${label}`}
      hidden={options.hidden}
      names={options.names}
      textOf={form}
      {...(order === undefined ? {} : { firstOrder: order })}
    />
  )
}

function columnOptions({ fieldOptions }: ViewProperties) {
  const list = listOf(fieldOptions).map(membersOf)
  const names = new Map<string, string>()
  const hidden = [...hiddenAlways]
  for (const { internalName, displayName, visible } of list) {
    const name = textOf(internalName)
    if (visible === false) hidden.push(name)
    else if (textOf(displayName) !== '') names.set(name, textOf(displayName))
  }
  return { hidden, names }
}

function orderOf({ tableOptions }: ViewProperties): TableOrder | undefined {
  const name = textOf(membersOf(membersOf(tableOptions).sortBy).internalName)
  return name === '' ? undefined : { name, isDescending: false }
}

function cellForm(properties: ViewProperties): (column: Column, row: number) => string {
  const { digits } = digitsOf(properties)
  const timeFormat = textOf(properties.timeFormat)
  return (column, row) => {
    const value = column.values[row]
    if (Number.isNaN(value)) return ''
    if (column.kind === 'time') {
      return timeFormat === '' ? cellText(column, row) : momentText(value, timeFormat)
    }
    if (column.kind === 'number' && digits !== undefined) return valueText(value, { digits })
    return cellText(column, row)
  }
}

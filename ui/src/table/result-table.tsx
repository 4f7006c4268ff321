// Rows of an answer, as many as there are: only those in sight are elements. Tables of an answer with the same columns
// are shown one after the other, with what tells them apart as columns.

import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef, useState } from 'react'
import { Icon } from '../parts/icons.js'
import { type Column, cellText, type Result, type Table } from '../query/result.js'

const rowPixels = 26

interface Row {
  readonly table: Table
  readonly row: number
}

export interface ResultTableProps {
  readonly result: Result
  /** Columns that are not shown. */
  readonly hidden?: readonly string[]
  readonly label?: string
  /** What columns are called; those that are named here come first, in this order. */
  readonly names?: ReadonlyMap<string, string>
  /** How a value is written; default: as it is. */
  readonly textOf?: (column: Column, row: number) => string
  readonly firstOrder?: TableOrder
}

export interface TableOrder {
  readonly name: string
  readonly isDescending: boolean
}

const noNames: ReadonlyMap<string, string> = new Map()
const usuallyHidden = ['_start', '_stop']

export function ResultTable({
  result,
  hidden = usuallyHidden,
  label = 'Rows',
  names: titles = noNames,
  textOf: write = cellText,
  firstOrder,
}: ResultTableProps) {
  const frame = useRef<HTMLDivElement>(null)
  const [order, setOrder] = useState<TableOrder | undefined>(firstOrder)
  const names = useMemo(() => columnNames(result, hidden, titles), [result, hidden, titles])
  const rows = useMemo(() => rowsOf(result, order), [result, order])
  const widths = useMemo(() => names.map((name) => columnWidth(result, name)), [result, names])
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowPixels,
    overscan: 12,
  })
  const columns = widths.map((width) => `minmax(${width}px, 1fr)`).join(' ')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys
    <div className="grid-frame" ref={frame} tabIndex={0} role="region" aria-label={label}>
      <div role="table" aria-label={label} aria-rowcount={rows.length + 1} className="grid-table">
        <div role="rowgroup">
          <div role="row" className="grid-row grid-head" style={{ gridTemplateColumns: columns }}>
            {names.map((name) => (
              <div
                role="columnheader"
                className={isNumberColumn(result, name) ? 'is-number' : ''}
                key={name}
                aria-sort={
                  order?.name !== name ? 'none' : order.isDescending ? 'descending' : 'ascending'
                }
              >
                <button type="button" onClick={() => setOrder(nextOrder(order, name))}>
                  {titles.get(name) ?? (name === '' ? 'series' : name)}
                  {order?.name === name && (
                    <Icon name={order.isDescending ? 'down' : 'right'} size={10} />
                  )}
                </button>
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {virtual.getVirtualItems().map(({ index, start }) => (
            <div
              role="row"
              key={index}
              aria-rowindex={index + 2}
              className="grid-row"
              style={{ gridTemplateColumns: columns, transform: `translateY(${start}px)` }}
            >
              {names.map((name) => {
                const { text, isNumber } = shownAt(rows[index], name, write)
                return (
                  <div role="cell" key={name} className={isNumber ? 'is-number' : ''} title={text}>
                    {text}
                  </div>
                )
              })}
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}

function isNumberColumn({ tables }: Result, name: string): boolean {
  return tables[0]?.columns.find((column) => column.name === name)?.kind === 'number'
}

type Order = TableOrder | undefined

function nextOrder(order: Order, name: string): Order {
  if (order?.name !== name) return { name, isDescending: false }
  return order.isDescending ? undefined : { name, isDescending: true }
}

/** Tags that the rows do not carry themselves, then the columns. */
function columnNames(
  { tables }: Result,
  hidden: readonly string[],
  titles: ReadonlyMap<string, string>,
): string[] {
  const known = new Set(tables.flatMap(({ columns }) => columns.map(({ name }) => name)))
  const names = new Set([...titles.keys()].filter((name) => known.has(name)))
  const hasNames = new Set(tables.map(({ name }) => name)).size > 1
  if (hasNames) names.add('')
  for (const { columns, tags } of tables) {
    for (const { name } of columns) names.add(name)
    for (const name of Object.keys(tags)) names.add(name)
  }
  return [...names].filter((name) => !hidden.includes(name))
}

function columnWidth({ tables }: Result, name: string): number {
  let longest = name.length + 2
  for (const { columns, tags } of tables.slice(0, 20)) {
    longest = Math.max(longest, (tags[name] ?? '').length)
    const column = columns.find((one) => one.name === name)
    if (column === undefined) continue
    for (let row = 0; row < Math.min(column.values.length, 20); row++) {
      longest = Math.max(longest, cellText(column, row).length)
    }
  }
  return Math.min(320, Math.max(64, longest * 7.4 + 20))
}

function rowsOf({ tables }: Result, order: Order): Row[] {
  const rows = tables.flatMap((table) =>
    Array.from({ length: table.rowCount }, (_, row) => ({ table, row })),
  )
  if (order === undefined) return rows
  const direction = order.isDescending ? -1 : 1
  return rows.sort((a, b) => direction * compare(a, b, order.name))
}

function compare(a: Row, b: Row, name: string): number {
  const [x, y] = [cellValue(a, name), cellValue(b, name)]
  if (typeof x === 'number' && typeof y === 'number')
    return (Number.isNaN(x) ? -Infinity : x) - (Number.isNaN(y) ? -Infinity : y)
  return String(x).localeCompare(String(y))
}

function cellValue({ table, row }: Row, name: string): string | number {
  if (name === '') return table.name
  const column = table.columns.find((one) => one.name === name)
  if (column === undefined) return table.tags[name] ?? ''
  return column.dictionary === undefined ? column.values[row] : cellText(column, row)
}

function shownAt(
  { table, row }: Row,
  name: string,
  write: (column: Column, row: number) => string,
) {
  if (name === '') return { text: table.name, isNumber: false }
  const column = table.columns.find((one) => one.name === name)
  if (column === undefined) return { text: table.tags[name] ?? '', isNumber: false }
  return { text: write(column, row), isNumber: column.kind === 'number' }
}

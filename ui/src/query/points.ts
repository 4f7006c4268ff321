// Points and runs of an answer by the names of columns, for charts that are no lines over time. Columns that a cell
// names and an answer has not are replaced by the usual ones of all three languages.

import { type Column, cellText, type Result, type Table } from './result.js'

export interface PointGroup {
  readonly label: string
  readonly xs: readonly number[]
  readonly ys: readonly number[]
}

export interface PointColumns {
  readonly x: string
  readonly y: string
  /** Columns whose values make groups of their own. */
  readonly by: readonly string[]
}

/** More than a browser draws in a moment. */
export const pointsMax = 50_000

export function pointGroups({ tables }: Result, { x, y, by }: PointColumns) {
  const groups = new Map<string, { xs: number[]; ys: number[] }>()
  let [isTime, count, total] = [false, 0, 0]
  for (const table of tables) {
    const [xColumn, yColumn] = [numberColumn(table, x), numberColumn(table, y)]
    if (xColumn === undefined || yColumn === undefined) continue
    isTime ||= xColumn.kind === 'time'
    for (let row = 0; row < table.rowCount; row++) {
      const [xValue, yValue] = [xColumn.values[row], yColumn.values[row]]
      if (Number.isNaN(xValue) || Number.isNaN(yValue)) continue
      total++
      if (count >= pointsMax) continue
      count++
      const label = by.map((name) => valueAt(table, name, row)).join(' · ')
      let group = groups.get(label)
      if (group === undefined) {
        group = { xs: [], ys: [] }
        groups.set(label, group)
      }
      group.xs.push(xValue)
      group.ys.push(yValue)
    }
  }
  const list: PointGroup[] = [...groups].map(([label, group]) => ({ label, ...group }))
  return { groups: list, isTime, total, count }
}

function numberColumn(table: Table, name: string): Column | undefined {
  const fits = ({ kind }: Column) => kind === 'number' || kind === 'time'
  const named = table.columns.find((column) => column.name === name && fits(column))
  if (named !== undefined) return named
  if (name === '_time') {
    return table.columns.find((column) => column.kind === 'time' && !/^_st/.test(column.name))
  }
  return table.columns.find((column) => column.kind === 'number')
}

export function valueAt(table: Table, name: string, row: number): string {
  const column = table.columns.find((one) => one.name === name)
  return column === undefined ? (table.tags[name] ?? '') : cellText(column, row)
}

export interface Run {
  readonly from: number
  readonly to: number
  readonly value: string
}

export interface RunRow {
  readonly label: string
  readonly runs: readonly Run[]
}

export const runRowsMax = 100

/** Stretches of time with the same value; each ends where the next begins. */
export function runRows({ tables }: Result, by: readonly string[], fill: string, end: number) {
  const rows = new Map<string, { at: number; value: string }[]>()
  for (const table of tables) {
    const time = numberColumn(table, '_time')
    if (time === undefined) continue
    const name = table.columns.some((column) => column.name === fill) ? fill : usualValue(table)
    for (let row = 0; row < table.rowCount; row++) {
      const label = labelOf(table, by, row)
      const points = rows.get(label) ?? []
      points.push({ at: time.values[row], value: valueAt(table, name, row) })
      rows.set(label, points)
    }
  }
  const list = [...rows].slice(0, runRowsMax).map(([label, points]): RunRow => {
    points.sort((a, b) => a.at - b.at)
    return { label, runs: runsOf(points, end) }
  })
  return { rows: list, total: rows.size }
}

function usualValue({ columns, tags }: Table): string {
  const values = columns.filter(({ kind, name }) => kind !== 'time' && !(name in tags))
  return (values.find(({ name }) => name === '_value') ?? values.at(-1))?.name ?? ''
}

const notTold = new Set(['_start', '_stop', '_measurement'])

function labelOf(table: Table, by: readonly string[], row: number): string {
  if (by.length > 0) return by.map((name) => valueAt(table, name, row)).join(' · ')
  const tags = Object.entries(table.tags).filter(([name]) => !notTold.has(name))
  return tags.map(([, value]) => value).join(' · ')
}

function runsOf(points: readonly { at: number; value: string }[], end: number): Run[] {
  const runs: Run[] = []
  for (const { at, value } of points) {
    const last = runs.at(-1)
    if (last === undefined || last.value !== value) runs.push({ from: at, to: end, value })
    if (last !== undefined && last.value !== value) {
      runs[runs.length - 2] = { ...last, to: at }
    }
  }
  return runs
}

// Chosen rows of a block, and chosen points: those with a mark, or a stretch of them. What is a stretch
// shares the arrays of the whole; what is picked has its own.

import type { Column } from '../../column/column.js'
import { gatherColumn } from '../../query/column-builder.js'
import type { Points } from '../functions/points.js'
import type { RowBlock } from './rows.js'

/** The rows whose mark is 1. */
export function pickRows(block: RowBlock, marks: Uint8Array): RowBlock {
  const order = markedRows(marks, block.count)
  if (order.length === block.count) return block
  return {
    count: order.length,
    times: { base: block.times.base, offsets: pickNumbers(block.times.offsets, order) },
    columns: block.columns.map((column) => column && gatherColumn(column, order)),
  }
}

export function sliceRows(block: RowBlock, start: number, stop: number): RowBlock {
  if (start === 0 && stop >= block.count) return block
  return {
    count: stop - start,
    times: { base: block.times.base, offsets: block.times.offsets.subarray(start, stop) },
    columns: block.columns.map((column) => column && sliceColumn(column, start, stop)),
  }
}

export function slicePoints(points: Points, start: number, stop: number): Points {
  if (start === 0 && stop >= points.count) return points
  return {
    count: stop - start,
    times: { base: points.times.base, offsets: points.times.offsets.subarray(start, stop) },
    values: sliceColumn(points.values, start, stop),
    companions: points.companions.map((column) => sliceColumn(column, start, stop)),
  }
}

function sliceColumn(column: Column, start: number, stop: number): Column {
  const values = column.values.subarray(start, stop)
  return { ...column, values, validity: column.validity?.subarray(start, stop) } as Column
}

/** Only points that have a value. */
export function densePoints(points: Points): Points {
  const { validity } = points.values
  if (validity === undefined) return points
  const order = markedRows(validity, points.count)
  const values = gatherColumn(points.values, order)
  return {
    count: order.length,
    times: { base: points.times.base, offsets: pickNumbers(points.times.offsets, order) },
    values: { ...values, validity: undefined } as Column,
    companions: points.companions.map((column) => gatherColumn(column, order)),
  }
}

function markedRows(marks: Uint8Array, count: number): Uint32Array {
  const order = new Uint32Array(count)
  let picked = 0
  for (let row = 0; row < count; row++) if (marks[row] !== 0) order[picked++] = row
  return order.subarray(0, picked)
}

function pickNumbers(values: Float64Array, order: Uint32Array): Float64Array {
  const picked = new Float64Array(order.length)
  for (let i = 0; i < order.length; i++) picked[i] = values[order[i]]
  return picked
}

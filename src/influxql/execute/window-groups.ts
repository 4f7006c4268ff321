// The groups of a query by windows, as a store gives them: each aggregate in one table, with a row of windows for each
// group. Memory follows the number of groups and windows.

import type { Batch, Run } from '../../column/batch.js'
import type { QueryMeter } from '../../query/limits.js'
import type { WindowGrid } from '../../query/window-grid.js'
import { type GroupKey, groupTags, tagsText } from './rows.js'
import { WindowTable } from './window-table.js'

export interface WindowGroupsOptions {
  readonly grid: WindowGrid
  readonly aggregateCount: number
  /** The measurement. */
  readonly name: string
  /** Tags that the store groups by, sorted. */
  readonly dimensions: readonly string[]
  /** Where the chosen points lie is asked for. */
  readonly keepsTimes: boolean
  readonly meter: QueryMeter
}

export class WindowGroups {
  readonly #options: WindowGroupsOptions
  /** By aggregate. */
  readonly tables: readonly WindowTable[]
  /** By group, in the order of their tags' values. */
  readonly keys: GroupKey[] = []
  /** The rows of a group follow each other. */
  #keyId = -1

  constructor(options: WindowGroupsOptions) {
    this.#options = options
    const { aggregateCount, grid, keepsTimes } = options
    const tables: WindowTable[] = []
    for (let i = 0; i < aggregateCount; i++) tables.push(new WindowTable(grid.count, keepsTimes))
    this.tables = tables
  }

  add(batch: Batch): void {
    const { tables } = this
    const { grid } = this.#options
    for (const run of batch.runs) {
      if (this.#keyId !== run.keyId) this.#begin(run)
      const { start, stop } = run
      const groupCount = this.keys.length
      const windows = grid.windowsOf(batch.times, start, stop, (groupCount - 1) * grid.count)
      for (let a = 0; a < tables.length; a++) {
        const times = batch.pointTimes?.[a]
        tables[a].add(groupCount, windows, batch.columns[a], start, stop, times)
      }
    }
  }

  #begin(run: Run): void {
    this.#keyId = run.keyId
    const { name, meter, grid, dimensions } = this.#options
    // A range that is read part by part has one group.
    if (dimensions.length === 0 && this.keys.length > 0) return
    this.keys.push({
      name,
      tags: dimensions.length === 0 ? [] : groupTags(dimensions, run.key.tags),
    })
    const windows = this.keys.length * grid.count * this.tables.length
    meter.checkMemory(windows * this.tables[0].windowBytes)
  }

  /** By the values of their tags. */
  inOrder(ascending: boolean): number[] {
    const order = [...this.keys.keys()]
    return ascending ? order : order.reverse()
  }

  /** Those of these that have rows. */
  among(keys: readonly GroupKey[]): number[] {
    const numbers = new Map(this.keys.map(({ tags }, group) => [tagsText(tags), group]))
    return keys.flatMap(({ tags }) => numbers.get(tagsText(tags)) ?? [])
  }
}

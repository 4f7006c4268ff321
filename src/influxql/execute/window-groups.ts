// The groups of a query by windows: series are numbered by the group that they fall into as a read gives
// them, and their windows are joined in one table for each aggregate. Memory follows the number of groups
// and windows.

import type { Batch, Run } from '../../column/batch.js'
import { GroupWindows } from '../../query/group-windows.js'
import type { QueryMeter } from '../../query/limits.js'
import type { WindowGrid } from '../../query/window-grid.js'
import type { Aggregate } from '../../store/store.js'
import { compareGroups, type GroupKey, groupTags, tagsText } from './rows.js'

export interface WindowGroupsOptions {
  readonly grid: WindowGrid
  readonly aggregates: readonly Aggregate[]
  /** The measurement. */
  readonly name: string
  /** Tags to group by, sorted. */
  readonly dimensions: readonly string[]
  /** Where the chosen points lie is asked for, or decides which is chosen. */
  readonly keepsTimes: boolean
  readonly meter: QueryMeter
}

export class WindowGroups {
  readonly #options: WindowGroupsOptions
  /** By aggregate. */
  readonly tables: readonly GroupWindows[]
  /** By group. */
  readonly keys: GroupKey[] = []
  /** By the values of their tags; made when there are some to group by. */
  #numbers: Map<string, number> | undefined
  /** The rows of a series follow each other. */
  #series = -1
  #group = 0
  /** Of the read under way. */
  seriesCount = 0

  constructor(options: WindowGroupsOptions) {
    this.#options = options
    const { aggregates, grid, keepsTimes } = options
    this.tables = aggregates.map(
      ({ function: join }) => new GroupWindows(join, grid.count, keepsTimes),
    )
  }

  /** What series were numbered by means nothing in another read. */
  beginRead(): void {
    this.#series = -1
    this.seriesCount = 0
  }

  add(batch: Batch): void {
    const { tables } = this
    const windows = this.#options.grid.windowsOf(batch.times, batch.rowCount)
    for (const run of batch.runs) {
      if (this.#series !== run.keyId) {
        this.#series = run.keyId
        this.#group = this.#groupOf(run)
        this.seriesCount++
      }
      for (let a = 0; a < tables.length; a++) {
        const times = batch.pointTimes?.[a]
        tables[a].add(this.#group, windows, batch.columns[a], run.start, run.stop, times)
      }
    }
  }

  #groupOf(run: Run): number {
    const { dimensions } = this.#options
    // To spell out a series takes longer than to read a few of its points.
    if (dimensions.length === 0) return this.keys.length > 0 ? 0 : this.#newGroup([])
    const tags = groupTags(dimensions, run.key.tags)
    const text = tagsText(tags)
    this.#numbers ??= new Map()
    let group = this.#numbers.get(text)
    if (group === undefined) {
      group = this.#newGroup(tags)
      this.#numbers.set(text, group)
    }
    return group
  }

  #newGroup(tags: GroupKey['tags']): number {
    const { name, meter, grid, keepsTimes } = this.#options
    const group = this.keys.push({ name, tags }) - 1
    const windows = this.keys.length * grid.count * this.tables.length
    meter.checkMemory(windows * GroupWindows.windowBytes(keepsTimes))
    return group
  }

  /** By the values of their tags. */
  inOrder(ascending: boolean): number[] {
    const { keys } = this
    const sorted = Array.from(keys.keys()).sort((a, b) => compareGroups(keys[a], keys[b]))
    return ascending ? sorted : sorted.reverse()
  }

  /** Undefined: there is no row of it. */
  find({ tags }: GroupKey): number | undefined {
    if (this.#options.dimensions.length === 0) return this.keys.length > 0 ? 0 : undefined
    return this.#numbers?.get(tagsText(tags))
  }
}

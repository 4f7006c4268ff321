// Points as they are written, for those who watch a bucket: each writer's batch is printed for its watchers once it is
// durable. Nobody watches most of the time, and then a write pays one look at an empty map. What is more than a watcher
// takes is counted and left out, so that watching never holds up writing.

import type { WriteBatch, WriteTable } from '../../column/write-batch.js'
import { limits } from '../../config.js'
import { BusyError } from '../../errors.js'
import { printTableRows } from '../../line-protocol/printer.js'

export interface LivePoints {
  /** Line protocol, times in nanoseconds. */
  readonly lines: readonly string[]
  /** Points that were written besides. */
  readonly skipped: number
}

export interface Watcher {
  /** Undefined: all. */
  readonly measurement: string | undefined
  /** How many lines it takes right now. */
  readonly room: () => number
  readonly take: (points: LivePoints) => void
}

export class PointWatchers {
  readonly #byBucket = new Map<string, Set<Watcher>>()
  #count = 0

  /** Throws BusyError where as many watch as may. The result ends it. */
  add(bucketId: string, watcher: Watcher): () => void {
    if (this.#count >= limits.pointWatchersMax) {
      throw new BusyError(`${limits.pointWatchersMax} watch already: try again later`)
    }
    this.#count++
    const watchers = this.#byBucket.get(bucketId) ?? new Set()
    this.#byBucket.set(bucketId, watchers.add(watcher))
    return () => {
      if (!watchers.delete(watcher)) return
      this.#count--
      if (watchers.size === 0) this.#byBucket.delete(bucketId)
    }
  }

  /** `refused`: lines that the store did not take. The batch is not kept. */
  written(
    bucketId: string,
    batch: WriteBatch,
    refused: readonly { readonly line: number }[],
  ): void {
    const watchers = this.#byBucket.get(bucketId)
    if (watchers === undefined) return
    const without = new Set(refused.map(({ line }) => line))
    for (const watcher of watchers) {
      const points = printed(batch, watcher, without)
      if (points.lines.length > 0 || points.skipped > 0) watcher.take(points)
    }
  }
}

function printed(
  { tables }: WriteBatch,
  { measurement, room }: Watcher,
  refused: ReadonlySet<number>,
): LivePoints {
  const lines: string[] = []
  let skipped = 0
  let left = room()
  for (const table of tables) {
    if (measurement !== undefined && table.measurement !== measurement) continue
    const rows = rowsOf(table, refused)
    const shown = rows.slice(0, left)
    lines.push(...printTableRows(table, shown))
    left -= shown.length
    skipped += rows.length - shown.length
  }
  return { lines, skipped }
}

function rowsOf({ rowCount, lines }: WriteTable, refused: ReadonlySet<number>): number[] {
  const rows: number[] = []
  for (let row = 0; row < rowCount; row++) if (!refused.has(lines[row])) rows.push(row)
  return rows
}

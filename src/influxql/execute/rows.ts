// Rows on their way from a source to functions and expressions: blocks of columns, group by group, each
// group in the order of the query. A group is a result series: a name and the tags grouped by.

import type { Tag } from '../../column/series.js'
import { compareUtf8 } from '../../column/series.js'
import type { TimeColumn } from '../../column/time.js'
import type { MaybeColumn } from './evaluate.js'

export interface RowBlock {
  readonly count: number
  readonly times: TimeColumn
  /** One per reference that was asked for. */
  readonly columns: readonly MaybeColumn[]
}

export interface GroupKey {
  readonly name: string
  /** Sorted by key, one for each tag grouped by; empty where the series has none. */
  readonly tags: readonly Tag[]
}

/** One piece of a group; pieces of one group follow each other. Columns are those behind `time`. */
export interface SelectPiece {
  readonly key: GroupKey
  readonly block: RowBlock
}

export interface GroupRows {
  readonly key: GroupKey
  /** To be read to its end, or given up, before the next group is asked for. */
  readonly blocks: AsyncIterable<RowBlock>
}

/** By name, then by the values of the tags. Groups of one query have the same tags. */
export function compareGroups(a: GroupKey, b: GroupKey): number {
  const byName = a.name === b.name ? 0 : compareUtf8(a.name, b.name)
  if (byName !== 0) return byName
  for (let i = 0; i < a.tags.length; i++) {
    if (a.tags[i].value === b.tags[i].value) continue
    return compareUtf8(a.tags[i].value, b.tags[i].value)
  }
  return 0
}

/** The tags of a group of series that share values of these keys. Keys are sorted. */
export function groupTags(keys: readonly string[], tags: readonly Tag[]): Tag[] {
  return keys.map((key) => ({ key, value: tags.find((tag) => tag.key === key)?.value ?? '' }))
}

/** Tells groups of one name apart. */
export function tagsText(tags: readonly Tag[]): string {
  let text = ''
  for (const { value } of tags) text += `${value}\0`
  return text
}

// Tags whose values are few, as lists of them: a temporary table of many rows then holds the number of a value
// and not its text: 2 million rows of a time, a tag and three fields are copied in 250 ms instead of 500 (on two
// shared cores).
//
// The lists are read before the rows. A value that was written in between throws `NewTagValue`, and the rows are
// copied once more with texts.

import { collectPages } from '../../store/schema-pages.js'
import type { ReadRequest, Store } from '../../store/store.js'
import { TagList } from '../engine/feed-column.js'

/** With fewer rows the lists cost more than they save. */
const rowsMin = 20_000
/** Of series, and with them of values. */
const valuesMax = 4096

/** By tag; none where they would not pay. */
export async function tagLists(
  store: Store,
  { bucket, measurement, range, window }: ReadRequest,
  tags: readonly string[],
): Promise<ReadonlyMap<string, TagList>> {
  const lists = new Map<string, TagList>()
  if (window !== undefined || tags.length === 0) return lists
  if ((await store.cardinality({ bucket, measurement })) > valuesMax) return lists
  const { rowCountMax } = await store.extent({ bucket, measurement, range })
  if (rowCountMax < rowsMin) return lists
  for (const tag of tags) {
    const request = { kind: 'tag-values' as const, bucket, measurement, tag }
    const values = await collectPages(store.names(request))
    // A text of a statement cannot hold a zero byte.
    const isPlain = values.every((value) => !value.includes('\0'))
    if (isPlain && values.length > 0) lists.set(tag, new TagList(values))
  }
  return lists
}

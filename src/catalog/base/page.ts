// Lists in pages: which part of a list a caller wants, and the one way in which every list of the
// catalog is cut. Records are in the order in which they were made.

import type { SelectQueryBuilder } from 'kysely'

export interface Page {
  readonly limit: number
  readonly offset: number
  /** Only records made after this one. Wins over `offset`. */
  readonly after?: string | undefined
  readonly descending: boolean
}

/** The whole list. */
export const wholeList: Page = { limit: Number.MAX_SAFE_INTEGER, offset: 0, descending: false }

interface Paged {
  id: string
  created_at: string
}

/**
 * Cuts the page out of a query over one table. `after` is the record named by the page, if it was
 * found; ids are random, so the time of creation comes first and the id breaks ties.
 */
export function cutPage<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  page: Page,
  after: Paged | undefined,
): SelectQueryBuilder<DB, TB, O> {
  const direction = page.descending ? 'desc' : 'asc'
  // biome-ignore lint/suspicious/noExplicitAny: the columns are those of Paged, whatever the table
  let cut = query as SelectQueryBuilder<any, any, O>
  if (after !== undefined) {
    const comes = page.descending ? '<' : '>'
    // Said twice, because an index is searched for this and only filtered by what follows.
    cut = cut.where('created_at', `${comes}=`, after.created_at)
    cut = cut.where(({ eb, and, or }) =>
      or([
        eb('created_at', comes, after.created_at),
        and([eb('created_at', '=', after.created_at), eb('id', comes, after.id)]),
      ]),
    )
  }
  cut = cut.orderBy('created_at', direction).orderBy('id', direction).limit(page.limit)
  return (after === undefined ? cut.offset(page.offset) : cut) as SelectQueryBuilder<DB, TB, O>
}

// What the catalog has to know of InfluxQL that a task runs: which databases and policies it reads and writes. The
// language tells it; whoever opens the catalog passes it in.

import { UserError } from '../../errors.js'

/** Where measurements are. Undefined: the database that the query runs in, its default policy. */
export interface QueryPlace {
  readonly database?: string | undefined
  readonly policy?: string | undefined
}

export interface QueryPlaces {
  readonly reads: readonly QueryPlace[]
  readonly writes: readonly QueryPlace[]
}

/** Undefined: the query does more than select. Throws UserError where it cannot be read. */
export type FindQueryPlaces = (query: string) => QueryPlaces | undefined

/** Where nobody passed it in. */
export const noQueryPlaces: FindQueryPlaces = () => {
  throw new UserError('not implemented', 'this catalog was opened without the tools for queries')
}

// Which databases and policies the SELECT statements of a text read and write, from the text alone: what the catalog
// asks of InfluxQL that a task runs.

import type { QueryPlace, QueryPlaces } from '../../catalog/base/query-places.js'
import type { MeasurementSource, Select } from '../syntax/ast.js'
import { parseQuery } from '../syntax/parser.js'

/** Undefined: not all statements are SELECT. Throws UserError where the text cannot be read. */
export function selectPlaces(query: string): QueryPlaces | undefined {
  const reads: QueryPlace[] = []
  const writes: QueryPlace[] = []
  for (const statement of parseQuery(query)) {
    if (statement.kind !== 'select') return undefined
    addReads(statement, reads)
    if (statement.target !== undefined) writes.push(placeOf(statement.target))
  }
  return { reads, writes }
}

function addReads({ sources }: Select, reads: QueryPlace[]): void {
  for (const source of sources) {
    if (source.kind === 'subquery') addReads(source.select, reads)
    else reads.push(placeOf(source))
  }
}

function placeOf({ database, policy }: MeasurementSource): QueryPlace {
  return { database, policy }
}

// Which rows belong together: batches that follow each other with the same name, tags and columns are
// one table in pieces.

import type { ResultBatch } from '../query/language.js'

/** The table that rows were last written of. */
export class TableIdentity {
  #last: Pick<ResultBatch, 'result' | 'name' | 'tags' | 'columnNames'> | undefined

  /** Whether the batch goes on with it. */
  includes(batch: ResultBatch): boolean {
    const last = this.#last
    if (last === undefined || last.result !== batch.result || last.name !== batch.name) return false
    return sameTags(last.tags, batch.tags) && sameNames(last.columnNames, batch.columnNames)
  }

  set({ result, name, tags, columnNames }: ResultBatch): void {
    // Only what is compared is kept: the arrays of a batch are its maker's again soon.
    this.#last = { result, name, tags, columnNames }
  }

  forget(): void {
    this.#last = undefined
  }
}

function sameTags(a: ResultBatch['tags'], b: ResultBatch['tags']): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) {
    if (a[i].key !== b[i].key || a[i].value !== b[i].value) return false
  }
  return true
}

export function sameNames(a: readonly string[], b: readonly string[]): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

// Answers of Flux as they come over the wire: annotated CSV, in which every table begins with the types of its columns
// and their defaults. Records are given out with the head that stands above them; what a table means is the reader's.

import { type CsvRecord, csvRecords, decoded } from './records.js'

export type Cells = CsvRecord['cells']

/** What stands above rows: each line begins with a cell for the annotation's name, which is empty elsewhere. */
export interface TableHead {
  readonly names: Cells
  /** The cells of `#datatype`; none without it. */
  readonly types: Cells
  /** The cells of `#default`; none without it. */
  readonly defaults: Cells
}

export interface AnnotatedRow {
  readonly head: TableHead
  readonly cells: Cells
}

/** Rows in the order in which they came, as many as a chunk of bytes has; those of one head share it. */
export async function* annotatedRows(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly AnnotatedRow[]> {
  let annotations = new Map<string, Cells>()
  let head: TableHead | undefined
  for await (const records of csvRecords(decoded(bytes), { separator: ',' })) {
    const rows: AnnotatedRow[] = []
    for (const { cells, isBlank } of records) {
      const mark = cells[0]
      if (isBlank) head = undefined
      else if (mark?.startsWith('#')) {
        // Annotations above the next table begin anew.
        if (head !== undefined) annotations = new Map()
        head = undefined
        annotations.set(mark, cells)
      } else if (head === undefined) {
        const types = annotations.get('#datatype') ?? []
        head = { names: cells, types, defaults: annotations.get('#default') ?? [] }
      } else rows.push({ head, cells })
    }
    yield rows
  }
}

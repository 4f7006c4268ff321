// What there is in a bucket: the values of a tag, names of measurements and fields, keys of tags, and how many series
// there are. The index answers without reading points where shards are the grain of the range in the real service too.

import { isTagPredicate, type TagPredicate } from '../../../column/predicate.js'
import { compareUtf8, type Series } from '../../../column/series.js'
import { inPieces, SortedRuns } from '../../../query/sorted-runs.js'
import type { Chunk } from '../../../query/table.js'
import { collectPages } from '../../../store/schema-pages.js'
import type { SchemaRequest } from '../../../store/store.js'
import type { FluxContext } from '../../context/context.js'
import { CellsBuilder } from '../../table/cells-builder.js'
import { type Table, tableOf } from '../../table/table.js'
import { emptyKey } from '../../value/key.js'
import { readFieldSeries } from './field-series.js'
import {
  measurementReads,
  type SelectedField,
  type StorageRead,
  selectFields,
} from './storage-read.js'

/** Fields of one measurement of which the same is asked. */
interface Part {
  readonly measurement: string
  readonly predicate: TagPredicate | undefined
  readonly fields: ReadonlySet<string>
}

/** undefined: the index cannot tell, since values are asked for. */
async function partsOf(
  read: StorageRead,
  context: FluxContext,
): Promise<readonly Part[] | undefined> {
  const fields = await selectFields(read, context)
  const groups = new Map<string, SelectedField[]>()
  for (const field of fields) {
    if (field.predicate !== undefined && !isTagPredicate(field.predicate)) return undefined
    const text = JSON.stringify([field.measurement, field.predicate ?? null])
    const group = groups.get(text)
    if (group === undefined) groups.set(text, [field])
    else group.push(field)
  }
  return Array.from(groups.values(), (group) => ({
    measurement: group[0].measurement,
    predicate: group[0].predicate as TagPredicate | undefined,
    fields: new Set(group.map(({ name }) => name)),
  }))
}

type Names = { kind: 'measurements' | 'tag-keys' } | { kind: 'tag-values'; tag: string }

class Index {
  readonly #read: StorageRead
  readonly #context: FluxContext

  constructor(read: StorageRead, context: FluxContext) {
    this.#read = read
    this.#context = context
  }

  names(part: Part, request: Names): Promise<readonly string[]> {
    return collectPages(this.namePages(part, request))
  }

  namePages(part: Part, request: Names) {
    const { scope, signal } = this.#context
    return scope.store.names({ ...this.#seriesOf(part), ...request }, signal)
  }

  async fields(part: Part): Promise<readonly string[]> {
    const { scope, signal } = this.#context
    const fields = await collectPages(scope.store.fields(this.#seriesOf(part), signal))
    return fields.map(({ name }) => name).filter((name) => part.fields.has(name))
  }

  count(part: Part): Promise<number> {
    const { scope, signal } = this.#context
    return scope.store.cardinality(this.#seriesOf(part), signal)
  }

  #seriesOf({ measurement, predicate }: Part): SchemaRequest {
    const { bucket, range } = this.#read
    return { bucket, range, measurement, predicate }
  }
}

/** What stands in a column of the key, in order; undefined: the index cannot tell. */
export async function keyColumnTables(
  read: StorageRead,
  column: string,
  context: FluxContext,
): Promise<readonly Table[] | undefined> {
  const parts = await partsOf(read, context)
  if (parts === undefined) return undefined
  const index = new Index(read, context)
  const found = new SortedRuns(Number.POSITIVE_INFINITY)
  for (const part of parts) {
    context.signal.throwIfAborted()
    if (column === '_field') found.add(await index.fields(part))
    else for await (const page of index.namePages(part, valuesOf(column))) found.add(page)
  }
  const chunks: Chunk[] = []
  for await (const texts of inPieces(found.texts())) chunks.push(textChunk(texts))
  return chunks.length === 0 ? [] : [textTable(chunks)]
}

/**
 * What stands in a column of the keys of tables that have a row in the range, in order; first a row without a value
 * where one does not have the column. The store counts, mostly without decoding a block: this must be right to the
 * nanosecond, since the real service looks at rows for it.
 */
export async function groupedValueTables(
  read: StorageRead,
  column: string,
  context: FluxContext,
): Promise<readonly Table[]> {
  const found = new Set<string | undefined>()
  const fields = await selectFields(read, context)
  for (const counts of measurementReads(read, fields, context, { functions: ['count'] })) {
    for await (const together of readFieldSeries(counts)) {
      for (const { series, field } of together) found.add(keyValue(series, field.name, column))
    }
  }
  const texts = [...found].filter((text) => text !== undefined).sort(compareUtf8)
  return textTables(found.has(undefined) ? [null, ...texts] : texts)
}

function keyValue({ measurement, tags }: Series, field: string, column: string) {
  if (column === '_measurement') return measurement
  return column === '_field' ? field : tags.find(({ key }) => key === column)?.value
}

function valuesOf(column: string): Names {
  return column === '_measurement' ? { kind: 'measurements' } : { kind: 'tag-values', tag: column }
}

/** The names of all columns that keys have; undefined: the index cannot tell. */
export async function keyNameTables(
  read: StorageRead,
  context: FluxContext,
): Promise<readonly Table[] | undefined> {
  const parts = await partsOf(read, context)
  if (parts === undefined) return undefined
  const index = new Index(read, context)
  const found = new Set<string>()
  let isEmpty = true
  for (const part of parts) {
    context.signal.throwIfAborted()
    if ((await index.fields(part)).length === 0) continue
    isEmpty = false
    for (const name of await index.names(part, { kind: 'tag-keys' })) found.add(name)
  }
  if (isEmpty) return []
  const tags = [...found].sort(compareUtf8)
  return textTables(['_start', '_stop', '_field', '_measurement', ...tags])
}

/** How many series have points; undefined: the index cannot tell. */
export async function seriesCount(
  read: StorageRead,
  context: FluxContext,
): Promise<number | undefined> {
  const parts = await partsOf(read, context)
  if (parts === undefined) return undefined
  const index = new Index(read, context)
  let count = 0
  for (const part of parts) count += await index.count(part)
  return count
}

/** One table without a key, or none where there is nothing. */
function textTables(texts: readonly (string | null)[]): readonly Table[] {
  return texts.length === 0 ? [] : [textTable([textChunk(texts)])]
}

function textTable(chunks: readonly Chunk[]): Table {
  return tableOf(emptyKey, [{ name: '_value', type: 'string' }], chunks)
}

function textChunk(texts: readonly (string | null)[]): Chunk {
  const values = new CellsBuilder('string', texts.length)
  for (const text of texts) values.push(text)
  return { rowCount: texts.length, columns: [values.finish()] }
}

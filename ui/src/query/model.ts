// What the builder edits: one measurement of one bucket, some of its fields, filters on tags, a function over windows,
// and the tags that rows are kept apart by. `print.ts` writes it in each language.

export type Aggregate = 'none' | 'mean' | 'max' | 'min' | 'sum' | 'count' | 'first' | 'last'

export const aggregates: readonly Aggregate[] = [
  'mean',
  'max',
  'min',
  'sum',
  'count',
  'first',
  'last',
  'none',
]

export interface TagFilter {
  readonly tag: string
  readonly values: readonly string[]
}

export interface Model {
  readonly bucket: string
  readonly measurement: string
  readonly fields: readonly string[]
  readonly filters: readonly TagFilter[]
  readonly aggregate: Aggregate
  /** Tags whose values make series of their own. */
  readonly groups: readonly string[]
}

export function emptyModel(bucket: string): Model {
  return { bucket, measurement: '', fields: [], filters: [], aggregate: 'mean', groups: [] }
}

export function isComplete(model: Model): boolean {
  return model.measurement !== '' && model.fields.length > 0
}

export function withField(model: Model, field: string): Model {
  const has = model.fields.includes(field)
  const fields = has ? model.fields.filter((name) => name !== field) : [...model.fields, field]
  return { ...model, fields }
}

export function withTagValue(model: Model, tag: string, value: string): Model {
  const before = model.filters.find((filter) => filter.tag === tag)?.values ?? []
  const values = before.includes(value) ? before.filter((one) => one !== value) : [...before, value]
  const others = model.filters.filter((filter) => filter.tag !== tag)
  return { ...model, filters: values.length === 0 ? others : [...others, { tag, values }] }
}

export function withGroup(model: Model, tag: string): Model {
  const has = model.groups.includes(tag)
  return {
    ...model,
    groups: has ? model.groups.filter((one) => one !== tag) : [...model.groups, tag],
  }
}

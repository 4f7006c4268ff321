// What lies in a bucket, as a tree: measurements, their fields and tags, values of a tag; searched by the service, as
// many as are asked for. Choosing a field shows it; values of tags filter, tags keep series apart.

import { Button, Select, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import {
  type Bucket,
  measurementsPage,
  type NamesPage,
  outline,
  useMeasurements,
  useOutline,
  useSeriesCounts,
  useTagCounts,
  useTagValues,
} from '../api/buckets.js'
import { examples } from '../parts/examples.js'
import { countText, plural, shortCount } from '../parts/figures.js'
import { Icon } from '../parts/icons.js'
import { useKeys } from '../parts/keys.js'
import { Empty, Loaded } from '../parts/states.js'
import { failed } from '../parts/toasts.js'
import {
  type Aggregate,
  aggregates,
  type Model,
  withField,
  withGroup,
  withTagValue,
} from '../query/model.js'
import { useHere } from '../shell/here.js'
import type { Change, ExploreState } from './explore-state.js'

export interface SchemaPaneProps {
  readonly buckets: readonly Bucket[]
  readonly bucket: Bucket
  readonly state: ExploreState
  readonly onChange: Change
}

export function SchemaPane({ buckets, bucket, state, onChange }: SchemaPaneProps) {
  const { org } = useHere()
  const [search, setSearch] = useState('')
  const finding = useRef<HTMLInputElement>(null)
  useKeys({ '/': () => finding.current?.focus() })
  const [limit, setLimit] = useState(measurementsPage)
  const [asked] = useDebouncedValue(search, 200)
  const found = useMeasurements(bucket.id, asked, limit)
  const { data: counts } = useSeriesCounts(bucket.id, asked, limit)
  const { model } = state
  const setModel = (changed: Model) => onChange({ model: changed })
  const open = (measurement: string) => chooseMeasurement(bucket, measurement, model, setModel)
  // A link that names a measurement, as set-up gives it, opens it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each bucket
  useEffect(() => {
    if (model.measurement !== '' && model.fields.length === 0) open(model.measurement)
  }, [bucket.id])
  return (
    <aside className="explore-side" aria-label="What there is">
      <Select
        aria-label="Bucket"
        data={buckets.map(({ name }) => name)}
        value={bucket.name}
        searchable
        nothingFoundMessage="No such bucket"
        onChange={(name) => {
          if (name !== null)
            onChange({
              bucket: name,
              model: {
                ...model,
                bucket: name,
                measurement: '',
                fields: [],
                filters: [],
                groups: [],
              },
            })
        }}
      />
      <TextInput
        ref={finding}
        aria-label="Find a measurement"
        placeholder="Find a measurement"
        leftSection={<Icon name="search" size={14} />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <Select
        size="xs"
        label="Function over windows"
        data={aggregates.map((value) => ({
          value,
          label: value === 'none' ? 'none: every point' : value,
        }))}
        value={model.aggregate}
        onChange={(value) => setModel({ ...model, aggregate: value as Aggregate })}
      />
      <Loaded of={found} what="measurements">
        {(page) => (
          <>
            {page.names.length === 0 && (
              <Empty
                title={
                  asked === ''
                    ? 'Nothing in this bucket yet'
                    : 'No measurement with this in its name'
                }
                {...(asked === '' ? { example: examples.write(org.name, bucket.name) } : {})}
              />
            )}
            <ul className="tree" aria-label="Measurements">
              {page.names.map((name) => (
                <li key={name}>
                  <button
                    type="button"
                    className="tree-item"
                    aria-expanded={model.measurement === name}
                    onClick={() =>
                      model.measurement === name
                        ? setModel({ ...model, measurement: '', fields: [] })
                        : open(name)
                    }
                  >
                    <Icon name={model.measurement === name ? 'down' : 'right'} size={12} />
                    <span className="tree-name">{name}</span>
                    <Count of={counts?.get(name)} one="series" many="series" sign="∿" />
                  </button>
                  {model.measurement === name && (
                    <Measurement bucket={bucket} model={model} onModel={setModel} />
                  )}
                </li>
              ))}
            </ul>
            <More page={page} onMore={() => setLimit(Math.min(limit * 2, 1000))} />
          </>
        )}
      </Loaded>
    </aside>
  )
}

/** With its first number, each series by itself: something to see at once. */
async function chooseMeasurement(
  bucket: Bucket,
  measurement: string,
  model: Model,
  onModel: (model: Model) => void,
) {
  try {
    const { fields, tagKeys } = await outline(bucket.id, measurement)
    const first = fields.find(({ type }) => type !== 'string' && type !== 'boolean') ?? fields[0]
    const isNumber = first !== undefined && first.type !== 'string' && first.type !== 'boolean'
    onModel({
      ...model,
      bucket: bucket.name,
      measurement,
      fields: first === undefined ? [] : [first.name],
      filters: [],
      groups: tagKeys,
      aggregate: isNumber ? model.aggregate : 'none',
    })
  } catch (error) {
    failed(error, measurement)
  }
}

interface CountProps {
  /** Absent: not known. */
  readonly of: number | undefined
  readonly one: string
  readonly many: string
  readonly sign?: string
}

/** A number for those who see it, and in words for those who do not. */
function Count({ of: count, one, many, sign = '' }: CountProps) {
  if (count === undefined) return null
  const words = plural(count, one, many)
  return (
    <span className="tree-count muted small" title={words}>
      <span aria-hidden="true">
        {shortCount(count)}
        {sign}
      </span>
      <span className="hidden-text">{words}</span>
    </span>
  )
}

interface MeasurementProps {
  readonly bucket: Bucket
  readonly model: Model
  readonly onModel: (model: Model) => void
}

function Measurement({ bucket, model, onModel }: MeasurementProps) {
  const found = useOutline(bucket.id, model.measurement)
  return (
    <Loaded of={found} what={model.measurement}>
      {({ fields, tagKeys }) => (
        <ul className="tree">
          {fields.map(({ name, type }) => (
            <li key={`field ${name}`}>
              <button
                type="button"
                className="tree-item"
                aria-pressed={model.fields.includes(name)}
                onClick={() => onModel(withField(model, name))}
              >
                <span className="tree-kind">
                  {model.fields.includes(name) ? <Icon name="check" size={12} /> : 'ƒ'}
                </span>
                <span className="tree-name">{name}</span>
                <span className="muted small">{type}</span>
              </button>
            </li>
          ))}
          <Tags bucket={bucket} model={model} onModel={onModel} tags={tagKeys} />
        </ul>
      )}
    </Loaded>
  )
}

function Tags({ tags, ...rest }: MeasurementProps & { readonly tags: readonly string[] }) {
  const { data: counts } = useTagCounts(rest.bucket.id, rest.model.measurement, tags)
  return tags.map((tag) => <Tag key={tag} {...rest} tag={tag} count={counts?.get(tag)} />)
}

interface TagProps extends MeasurementProps {
  readonly tag: string
  readonly count: number | undefined
}

function Tag({ bucket, model, onModel, tag, count }: TagProps) {
  const [isOpen, setOpen] = useState(false)
  const isGroup = model.groups.includes(tag)
  const filtered = model.filters.find((filter) => filter.tag === tag)?.values.length ?? 0
  return (
    <li>
      <div className="row row-tight">
        <button
          type="button"
          className="tree-item"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <span className="tree-kind">#</span>
          <span className="tree-name">{tag}</span>
          {filtered > 0 && <span className="small">{filtered} chosen</span>}
          <Count of={count} one="value" many="values" />
        </button>
        <button
          type="button"
          className="chip"
          aria-pressed={isGroup}
          title={isGroup ? 'Each value is a series of its own' : 'All values are taken together'}
          onClick={() => onModel(withGroup(model, tag))}
        >
          {isGroup ? 'grouped' : 'merged'}
        </button>
      </div>
      {isOpen && <TagValues bucket={bucket} model={model} onModel={onModel} tag={tag} />}
    </li>
  )
}

function TagValues({ bucket, model, onModel, tag }: MeasurementProps & { readonly tag: string }) {
  const [search, setSearch] = useState('')
  const [limit, setLimit] = useState(20)
  const [asked] = useDebouncedValue(search, 200)
  const found = useTagValues(bucket.id, model.measurement, tag, asked, limit)
  const chosen = model.filters.find((filter) => filter.tag === tag)?.values ?? []
  return (
    <div className="tree-values">
      <TextInput
        size="xs"
        aria-label={`Find a value of ${tag}`}
        placeholder="Find a value"
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <Loaded of={found} what={tag}>
        {(page) => (
          <>
            <ul className="tree">
              {page.names.map((value) => (
                <li key={value}>
                  <button
                    type="button"
                    className="tree-item"
                    aria-pressed={chosen.includes(value)}
                    onClick={() => onModel(withTagValue(model, tag, value))}
                  >
                    <span className="tree-kind">
                      {chosen.includes(value) ? <Icon name="check" size={12} /> : '='}
                    </span>
                    <span className="tree-name">{value}</span>
                  </button>
                </li>
              ))}
            </ul>
            <More page={page} onMore={() => setLimit(Math.min(limit * 5, 1000))} />
          </>
        )}
      </Loaded>
    </div>
  )
}

function More({ page, onMore }: { readonly page: NamesPage; readonly onMore: () => void }) {
  if (!page.hasMore) return null
  const total = page.total === undefined ? 'more' : countText(page.total)
  return (
    <div className="row small muted">
      {countText(page.names.length)} of {total}
      <Button size="compact-xs" variant="subtle" onClick={onMore}>
        Show more
      </Button>
    </div>
  )
}

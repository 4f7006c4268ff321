// Measurements of a bucket, searched by the service and a page at a time. What one is made of is asked when its row is
// opened: figures cost the service something, names do not.

import { Button, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { type Bucket, useMeasurements, useOutline } from '../api/buckets.js'
import { countText, momentText, plural } from '../parts/figures.js'
import { Icon } from '../parts/icons.js'
import { Link } from '../parts/link.js'
import { Empty, Loaded } from '../parts/states.js'

const pageSize = 50
const manySeries = 100_000

export function SchemaTable({ bucket }: { readonly bucket: Bucket }) {
  const [search, setSearch] = useState('')
  const [limit, setLimit] = useState(pageSize)
  const [asked] = useDebouncedValue(search, 200)
  const found = useMeasurements(bucket.id, asked, limit)
  return (
    <div className="stack">
      <TextInput
        aria-label="Find a measurement"
        placeholder="Find a measurement"
        maw={320}
        leftSection={<Icon name="search" size={14} />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <Loaded of={found} what="measurements">
        {({ names, total, hasMore }) => (
          <>
            {names.length === 0 && (
              <Empty
                title={
                  asked === ''
                    ? 'Nothing in this bucket yet'
                    : 'No measurement with this in its name'
                }
                action={
                  asked === '' && (
                    <Link href={`/data/${bucket.id}/write`}>Write the first points</Link>
                  )
                }
              />
            )}
            <ul className="tree">
              {names.map((name) => (
                <Measurement key={name} bucket={bucket} name={name} />
              ))}
            </ul>
            <p className="muted small">
              {countText(names.length)} of {total === undefined ? 'more' : countText(total)}{' '}
              {hasMore && (
                <Button
                  size="compact-xs"
                  variant="subtle"
                  onClick={() => setLimit(Math.min(limit * 4, 1000))}
                >
                  Show more
                </Button>
              )}
            </p>
          </>
        )}
      </Loaded>
    </div>
  )
}

function Measurement({ bucket, name }: { readonly bucket: Bucket; readonly name: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <li>
      <button
        type="button"
        className="tree-item"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? 'down' : 'right'} size={12} />
        <span className="tree-name">{name}</span>
      </button>
      {isOpen && <Figures bucket={bucket} name={name} />}
    </li>
  )
}

function Figures({ bucket, name }: { readonly bucket: Bucket; readonly name: string }) {
  const found = useOutline(bucket.id, name)
  return (
    <div className="figures">
      <Loaded of={found} what={name}>
        {({ seriesCount, rowCountMax, fields, tagKeys, first, last }) => (
          <>
            <p>
              {plural(seriesCount, 'series', 'series')} · at most {plural(rowCountMax, 'row')}
              {first !== undefined &&
                last !== undefined &&
                ` · ${momentText(first)} – ${momentText(last)}`}
            </p>
            {seriesCount >= manySeries && (
              <p className="warn">
                <Icon name="warn" size={14} /> Many series: a tag whose values never end is better
                kept as a field.
              </p>
            )}
            <p>Fields: {fields.map((field) => `${field.name} (${field.type})`).join(', ')}</p>
            <p>Tags: {tagKeys.length === 0 ? 'none' : tagKeys.join(', ')}</p>
            <Link
              href={`/explore?b=${encodeURIComponent(bucket.name)}&m=${encodeURIComponent(name)}`}
            >
              Explore {name}
            </Link>
          </>
        )}
      </Loaded>
    </div>
  )
}

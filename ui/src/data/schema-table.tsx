// Measurements of a bucket, searched by the service and a page at a time. Sizes are asked for by a click, for those
// that are shown, and then put the largest first; what one is made of is asked when its row is opened.

import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Bucket, type Outline, outline, useMeasurements } from '../api/buckets.js'
import { examples } from '../parts/examples.js'
import { agoText, bytesText, countText, momentText, shortCount } from '../parts/figures.js'
import { Icon } from '../parts/icons.js'
import { Link } from '../parts/link.js'
import { SearchBox } from '../parts/search-box.js'
import { Empty, Loaded } from '../parts/states.js'
import { useHere } from '../shell/here.js'
import { MeasurementDetails } from './measurement-details.js'

const pageSize = 50

export function SchemaTable({ bucket }: { readonly bucket: Bucket }) {
  const [search, setSearch] = useState('')
  const [limit, setLimit] = useState(pageSize)
  const [hasSizes, setSizes] = useState(false)
  const [asked] = useDebouncedValue(search, 200)
  const found = useMeasurements(bucket.id, asked, limit)
  return (
    <div className="stack">
      <div className="row">
        <SearchBox label="Find a measurement" value={search} onChange={setSearch} />
        <Button variant="default" disabled={hasSizes} onClick={() => setSizes(true)}>
          Show sizes
        </Button>
      </div>
      <Loaded of={found} what="measurements">
        {({ names, total, hasMore }) => (
          <>
            {names.length === 0 && <Nothing bucket={bucket} isSearch={asked !== ''} />}
            {names.length > 0 && <Measurements bucket={bucket} names={names} hasSizes={hasSizes} />}
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

function Nothing({ bucket, isSearch }: { readonly bucket: Bucket; readonly isSearch: boolean }) {
  const { org } = useHere()
  if (isSearch) return <Empty title="No measurement with this in its name" />
  return (
    <Empty
      title="Nothing in this bucket yet"
      action={<Link href={`/data/${bucket.id}/write`}>Write the first points</Link>}
      example={examples.write(org.name, bucket.name)}
    >
      Measurements with their tags and fields are listed here, as points come.
    </Empty>
  )
}

interface MeasurementsProps {
  readonly bucket: Bucket
  readonly names: readonly string[]
  readonly hasSizes: boolean
}

/** One after the other: nobody else should wait for somebody who looks around. */
async function outlines(bucketId: string, names: readonly string[]): Promise<Map<string, Outline>> {
  const found = new Map<string, Outline>()
  for (const name of names) found.set(name, await outline(bucketId, name))
  return found
}

function Measurements({ bucket, names, hasSizes }: MeasurementsProps) {
  const { data: sizes } = useQuery({
    queryKey: ['outlines', bucket.id, names],
    queryFn: () => outlines(bucket.id, names),
    enabled: hasSizes,
  })
  const bytes = (name: string) => sizes?.get(name)?.storedBytes ?? 0
  const rows = (name: string) => sizes?.get(name)?.rowCountMax ?? 0
  const ordered =
    sizes === undefined ? names : names.toSorted((a, b) => bytes(b) - bytes(a) || rows(b) - rows(a))
  return (
    <div className="table-scroll">
      <table className="plain-table">
        <thead>
          <tr>
            <th>Measurement</th>
            {hasSizes && (
              <>
                <th className="is-number">Series</th>
                <th className="is-number">Fields</th>
                <th className="is-number">Rows, at most</th>
                <th className="is-number">On disk</th>
                <th>Last point</th>
              </>
            )}
          </tr>
        </thead>
        <tbody>
          {ordered.map((name) => (
            <Measurement
              key={name}
              bucket={bucket}
              name={name}
              size={sizes?.get(name)}
              hasSizes={hasSizes}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface MeasurementProps {
  readonly bucket: Bucket
  readonly name: string
  readonly size: Outline | undefined
  readonly hasSizes: boolean
}

function Measurement({ bucket, name, size, hasSizes }: MeasurementProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <tr>
        <td>
          <button
            type="button"
            className="tree-item"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'down' : 'right'} size={12} />
            <span className="tree-name">{name}</span>
          </button>
        </td>
        {hasSizes && <Sizes size={size} />}
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={hasSizes ? 6 : 1}>
            <MeasurementDetails bucket={bucket} name={name} />
          </td>
        </tr>
      )}
    </>
  )
}

function Sizes({ size }: { readonly size: Outline | undefined }) {
  if (size === undefined) return <td colSpan={5} className="muted" />
  const { seriesCount, fields, rowCountMax, storedBytes, last } = size
  return (
    <>
      <td className="is-number">{shortCount(seriesCount)}</td>
      <td className="is-number">{countText(fields.length)}</td>
      <td className="is-number">{shortCount(rowCountMax)}</td>
      <td className="is-number no-wrap">{bytesText(storedBytes ?? 0)}</td>
      <td className="no-wrap">
        {last !== undefined && <span title={momentText(last)}>{agoText(last)}</span>}
      </td>
    </>
  )
}

// What a measurement is made of: fields with their types, tags with how many values each has, and advice where a tag
// makes nearly as many series as there are points.

import { type Bucket, type Outline, useOutline, useTagCounts } from '../api/buckets.js'
import { bytesText, countText, momentText, plural } from '../parts/figures.js'
import { Icon } from '../parts/icons.js'
import { Link } from '../parts/link.js'
import { Loaded } from '../parts/states.js'

export interface MeasurementDetailsProps {
  readonly bucket: Bucket
  readonly name: string
}

export function MeasurementDetails({ bucket, name }: MeasurementDetailsProps) {
  const found = useOutline(bucket.id, name)
  return (
    <div className="figures">
      <Loaded of={found} what={name}>
        {(outline) => (
          <>
            <Figures outline={outline} />
            <p>
              Fields: {outline.fields.map((field) => `${field.name} (${field.type})`).join(', ')}
            </p>
            <Tags bucket={bucket} outline={outline} />
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

function Figures({ outline }: { readonly outline: Outline }) {
  const { seriesCount, rowCountMax, storedBytes = 0, first, last } = outline
  return (
    <p>
      {plural(seriesCount, 'series', 'series')} · at most {plural(rowCountMax, 'row')} ·{' '}
      {bytesText(storedBytes)} on disk
      {first !== undefined && last !== undefined && ` · ${momentText(first)} – ${momentText(last)}`}
    </p>
  )
}

interface TagsProps {
  readonly bucket: Bucket
  readonly outline: Outline
}

interface TagCount {
  readonly tag: string
  readonly count: number
}

function Tags({ bucket, outline }: TagsProps) {
  const { measurement, tagKeys } = outline
  const { data } = useTagCounts(bucket.id, measurement, tagKeys)
  const counts = data && Array.from(data, ([tag, count]): TagCount => ({ tag, count }))
  if (tagKeys.length === 0) return <p>Tags: none</p>
  const told = counts?.map(({ tag, count }) => `${tag} (${countText(count)})`) ?? tagKeys
  return (
    <>
      <p>Tags: {told.join(', ')}</p>
      {counts
        ?.filter((one) => isTooMany(one, outline))
        .map(({ tag, count }) => (
          <p key={tag} className="warn">
            <Icon name="warn" size={14} /> {tag} has {plural(count, 'value')}, and makes most of the
            series. If it never stops growing, keep it as a field: every series costs memory for as
            long as it is kept.
          </p>
        ))}
    </>
  )
}

const manyValues = 10_000

/** Few points for each of very many values: what tells single events apart, such as an id or a moment. */
function isTooMany({ count }: TagCount, { seriesCount, rowCountMax }: Outline): boolean {
  return count >= manyValues && count >= seriesCount / 2 && rowCountMax < count * 100
}

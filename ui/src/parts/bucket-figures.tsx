// Three cells of a table: the series, the size and the last point of a bucket or database. They come after the names:
// who may not see them still sees the names.

import { useBucketFigures } from '../api/buckets.js'
import { agoText, bytesText, momentText, shortCount } from './figures.js'

export function BucketFigureTitles() {
  return (
    <>
      <th className="is-number">Series</th>
      <th className="is-number">On disk</th>
      <th>Last point</th>
    </>
  )
}

export function BucketFigures({ id }: { readonly id: string }) {
  const { data } = useBucketFigures(id)
  return (
    <>
      <td className="is-number no-wrap">
        {data === undefined ? '' : shortCount(data.seriesCount)}
      </td>
      <td className="is-number no-wrap">
        {data?.storedBytes === undefined ? '' : bytesText(data.storedBytes)}
      </td>
      <td className="no-wrap">
        {data?.last !== undefined && (
          <span title={momentText(data.last)}>{agoText(data.last)}</span>
        )}
      </td>
    </>
  )
}

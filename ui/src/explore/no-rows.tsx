// What a query without rows shows: the range that it looked at, and where there is something: all the time that the
// measurement has points of, and its last point.

import { Button } from '@mantine/core'
import { type Bucket, useBucketFigures, useOutline } from '../api/buckets.js'
import { momentText } from '../parts/figures.js'
import { Empty } from '../parts/states.js'
import { rangeLabel } from '../query/time-range.js'
import type { Change, ExploreState } from './explore-state.js'

export interface NoRowsProps {
  readonly bucket: Bucket
  readonly state: ExploreState
  readonly onChange: Change
}

const hourMs = 3_600_000

export function NoRows({ bucket, state, onChange }: NoRowsProps) {
  const measurement = state.model.measurement === '' ? undefined : state.model.measurement
  const { data: ofBucket } = useBucketFigures(bucket.id)
  const { data: outline } = useOutline(bucket.id, measurement)
  const { first, last } = outline ?? ofBucket ?? {}
  const action =
    first === undefined || last === undefined ? undefined : (
      <div className="row">
        <Button
          size="xs"
          variant="default"
          onClick={() => onChange({ range: between(new Date(first), new Date(last)) })}
        >
          All time
        </Button>
        <Button
          size="xs"
          variant="default"
          onClick={() => onChange({ range: around(new Date(last)) })}
        >
          Last point at {momentText(last)}
        </Button>
      </div>
    )
  return (
    <Empty title="No rows" action={action}>
      There is nothing that fits in this range: {rangeLabel(state.range)}.
    </Empty>
  )
}

/** The last point itself is within. */
function between(first: Date, last: Date) {
  return { kind: 'between', from: first.getTime(), to: last.getTime() + 1000 } as const
}

function around(last: Date) {
  return { kind: 'between', from: last.getTime() - hourMs, to: last.getTime() + 60_000 } as const
}

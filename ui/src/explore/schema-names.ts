// Names that the editor completes: measurements of the bucket, fields and
// tags of the one that is open, placeholders.

import type { Completion } from '@codemirror/autocomplete'
import { useMemo } from 'react'
import { useMeasurements, useOutline } from '../api/buckets.js'

const completedMax = 200

const placeholders: readonly Completion[] = [
  { label: '$timeFilter', type: 'variable', detail: 'time range, InfluxQL' },
  { label: '$window', type: 'variable', detail: 'length of a window, InfluxQL and SQL' },
  { label: '$from', type: 'variable', detail: 'start, SQL' },
  { label: '$to', type: 'variable', detail: 'end, SQL' },
  { label: 'v.timeRangeStart', type: 'variable', detail: 'start, Flux' },
  { label: 'v.timeRangeStop', type: 'variable', detail: 'end, Flux' },
  { label: 'v.windowPeriod', type: 'variable', detail: 'length of a window, Flux' },
]

export function useNames(bucketId: string | undefined, measurement: string): readonly Completion[] {
  const { data: all } = useMeasurements(bucketId, '', completedMax)
  const { data: open } = useOutline(bucketId, measurement === '' ? undefined : measurement)
  return useMemo(
    () => [
      ...placeholders,
      ...(all?.names ?? []).map((label) => ({ label, type: 'class', detail: 'measurement' })),
      ...(open?.fields ?? []).map(({ name: label, type }) => ({
        label,
        type: 'property',
        detail: `field, ${type}`,
      })),
      ...(open?.tagKeys ?? []).map((label) => ({ label, type: 'property', detail: 'tag' })),
    ],
    [all, open],
  )
}

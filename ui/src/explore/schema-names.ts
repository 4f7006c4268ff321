// Names that the editor completes: measurements of the bucket, fields and
// tags of the one that is open, placeholders. And what names in a text are compared with: all that the bucket has.

import type { Completion } from '@codemirror/autocomplete'
import { useMemo } from 'react'
import {
  measurements,
  measurementsPage,
  outline,
  useMeasurements,
  useOutline,
} from '../api/buckets.js'
import { ApiError } from '../api/http.js'
import type { KnownNames } from '../query/unknown-names.js'

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
  // What the tree has asked for, unless that is not all.
  const { data: first } = useMeasurements(bucketId, '', measurementsPage)
  const { data: more } = useMeasurements(
    first?.hasMore === true ? bucketId : undefined,
    '',
    completedMax,
  )
  const all = more ?? first
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

/** Each measurement is asked for once, for as long as its bucket is open: points of a new field are rare. */
export function useKnownNames(bucketId: string | undefined): KnownNames | undefined {
  return useMemo(() => (bucketId === undefined ? undefined : knownNames(bucketId)), [bucketId])
}

function knownNames(bucketId: string): KnownNames {
  const asked = new Map<string, Promise<readonly string[]>>()
  return {
    measurements: async () => (await measurements(bucketId, { limit: completedMax })).names,
    async within(measurement) {
      const names = asked.get(measurement) ?? namesWithin(bucketId, measurement)
      asked.set(measurement, names)
      try {
        return await names
      } catch (error) {
        asked.delete(measurement)
        if (error instanceof ApiError && error.status === 404) return undefined
        throw error
      }
    },
  }
}

async function namesWithin(bucketId: string, measurement: string): Promise<readonly string[]> {
  const { fields, tagKeys } = await outline(bucketId, measurement)
  return [...fields.map(({ name }) => name), ...tagKeys]
}

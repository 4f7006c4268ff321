// What a check looks at, chosen from what is there: bucket, measurement, field, and what becomes of the points of an
// interval. Writes the query below; a query edited by hand is left alone until the button asks for it.

import { Button, Select } from '@mantine/core'
import { useBuckets, useMeasurements, useOutline } from '../api/buckets.js'
import { useHere } from '../shell/here.js'
import { type CheckDraft, type CheckSource, sourceFunctions, sourceText } from './check-draft.js'

const measurementsMax = 1000

export interface CheckSourceFieldsProps {
  readonly draft: CheckDraft
  readonly onChange: (part: Partial<CheckDraft>) => void
}

export function CheckSourceFields({ draft, onChange }: CheckSourceFieldsProps) {
  const { org } = useHere()
  const { source, type, text } = draft
  const { data: buckets = [] } = useBuckets(org.id)
  const bucketId = buckets.find(({ name }) => name === source.bucket)?.id
  const { data: measurements } = useMeasurements(bucketId, '', measurementsMax)
  const { data: outline } = useOutline(
    bucketId,
    source.measurement === '' ? undefined : source.measurement,
  )
  const set = (part: Partial<CheckSource>) => onChange({ source: { ...source, ...part } })
  const written = sourceText(source, type)
  const isByHand = text !== '' && text !== written
  return (
    <div className="fields-3 row-end">
      <Select
        label="Bucket"
        searchable
        placeholder={isByHand ? 'as the query says' : undefined}
        data={buckets.map(({ name }) => name)}
        value={source.bucket || null}
        onChange={(bucket) => set({ bucket: bucket ?? '', measurement: '', field: '' })}
      />
      <Select
        label="Measurement"
        searchable
        placeholder={isByHand ? 'as the query says' : undefined}
        disabled={bucketId === undefined}
        data={[...(measurements?.names ?? [])]}
        value={source.measurement || null}
        onChange={(measurement) => set({ measurement: measurement ?? '', field: '' })}
      />
      <Select
        label="Field"
        searchable
        placeholder={isByHand ? 'as the query says' : undefined}
        disabled={outline === undefined}
        data={outline?.fields.map(({ name }) => name) ?? []}
        value={source.field || null}
        onChange={(field) => set({ field: field ?? '' })}
      />
      {type === 'threshold' && (
        <Select
          label="of an interval the"
          data={sourceFunctions}
          value={source.fn}
          onChange={(fn) => set({ fn: fn ?? 'mean' })}
        />
      )}
      {isByHand && written !== undefined && (
        <Button variant="default" onClick={() => onChange({ text: written })}>
          Write the query anew
        </Button>
      )}
    </div>
  )
}

// Names of databases and retention policies for clients of version 1, and the buckets that they
// lead to.

import { Checkbox, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { type Bucket, useBuckets } from '../api/buckets.js'
import { type Mapping, saveSetting, useSettings } from '../api/settings.js'
import { examples } from '../parts/examples.js'
import { useHere, useMay } from '../shell/here.js'
import { SettingForm } from './setting-form.js'
import { SettingList } from './setting-list.js'

export function DatabasesTab() {
  const { org } = useHere()
  const { lacking } = useMay('write', 'buckets')
  const { data: buckets = [] } = useBuckets(org.id)
  const first = buckets.find(({ type }) => type === 'user')
  const bucketName = (id: string) => buckets.find((bucket) => bucket.id === id)?.name ?? id
  return (
    <SettingList
      kind="dbrps"
      noun="database"
      found={useSettings('dbrps', org.id)}
      lacking={lacking}
      purpose="Clients of version 1 name a database and a retention policy; each pair leads to a bucket."
      {...(first === undefined ? {} : { example: examples.mapping(org.id, first.id) })}
      nameOf={({ database, retention_policy }) => `${database}.${retention_policy}`}
      columns={[
        ['Bucket', ({ bucketID }: Mapping) => bucketName(bucketID)],
        ['Usual policy', (mapping: Mapping) => (mapping.default ? 'yes' : '')],
        [
          'Where from',
          ({ virtual }: Mapping) => (virtual ? 'the name of the bucket' : 'made here'),
        ],
      ]}
      isFixed={({ virtual }) => virtual === true}
      form={(one, onDone) => <MappingForm mapping={one} buckets={buckets} onDone={onDone} />}
    />
  )
}

interface MappingFormProps {
  readonly mapping: Mapping | undefined
  readonly buckets: readonly Bucket[]
  readonly onDone: () => void
}

function MappingForm({ mapping, buckets, onDone }: MappingFormProps) {
  const { org } = useHere()
  const [database, setDatabase] = useState(mapping?.database ?? '')
  const [policy, setPolicy] = useState(mapping?.retention_policy ?? 'autogen')
  const [bucketID, setBucketID] = useState(mapping?.bucketID ?? null)
  const [isDefault, setDefault] = useState(mapping?.default ?? true)
  const save = () => {
    const change = { retention_policy: policy, default: isDefault }
    return mapping === undefined
      ? saveSetting('dbrps', undefined, { orgID: org.id, database, bucketID, ...change })
      : saveSetting('dbrps', `${mapping.id}?orgID=${org.id}`, change)
  }
  return (
    <SettingForm name={database} isNew={mapping === undefined} save={save} onDone={onDone}>
      <div className="fields-2">
        <TextInput
          label="Database"
          required
          data-autofocus
          disabled={mapping !== undefined}
          value={database}
          onChange={(event) => setDatabase(event.currentTarget.value)}
        />
        <TextInput
          label="Retention policy"
          required
          value={policy}
          onChange={(event) => setPolicy(event.currentTarget.value)}
        />
      </div>
      <Select
        label="Bucket"
        searchable
        disabled={mapping !== undefined}
        data={buckets.map(({ id, name }) => ({ value: id, label: name }))}
        value={bucketID}
        onChange={setBucketID}
      />
      <Checkbox
        label="The usual policy of the database"
        checked={isDefault}
        onChange={(event) => setDefault(event.currentTarget.checked)}
      />
    </SettingForm>
  )
}

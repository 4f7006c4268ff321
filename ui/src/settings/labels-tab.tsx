// Labels: names with a colour that are put on dashboards, tasks,
// checks and buckets.

import { ColorInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { type Label, saveSetting, useSettings } from '../api/settings.js'
import { examples } from '../parts/examples.js'
import { useHere, useMay } from '../shell/here.js'
import { SettingForm } from './setting-form.js'
import { SettingList } from './setting-list.js'

export function LabelsTab() {
  const { org } = useHere()
  const { lacking } = useMay('write', 'labels')
  return (
    <SettingList
      kind="labels"
      noun="label"
      found={useSettings('labels', org.id)}
      lacking={lacking}
      purpose="Labels are put on dashboards, tasks, checks and buckets, to find what belongs together."
      example={examples.labels(org.id)}
      nameOf={({ name }) => name}
      columns={[
        ['Colour', ({ properties }: Label) => <Colour of={properties?.color} />],
        ['Description', ({ properties }: Label) => properties?.description],
      ]}
      form={(one, onDone) => <LabelForm label={one} onDone={onDone} />}
    />
  )
}

function Colour({ of }: { readonly of: string | undefined }) {
  if (of === undefined) return null
  return (
    <span className="row row-tight">
      <svg width="12" height="12" aria-hidden="true">
        <rect width="12" height="12" rx="3" fill={of} />
      </svg>
      <span className="mono">{of}</span>
    </span>
  )
}

const swatches = ['#4d89fa', '#ab5a0d', '#348668', '#d660a5', '#125965', '#90311b', '#a19413']

interface LabelFormProps {
  readonly label: Label | undefined
  readonly onDone: () => void
}

function LabelForm({ label, onDone }: LabelFormProps) {
  const { org } = useHere()
  const [name, setName] = useState(label?.name ?? '')
  const [color, setColor] = useState(label?.properties?.color ?? swatches[0])
  const [description, setDescription] = useState(label?.properties?.description ?? '')
  const save = () => {
    const json = { name, properties: { ...label?.properties, color, description } }
    return saveSetting('labels', label?.id, label === undefined ? { orgID: org.id, ...json } : json)
  }
  return (
    <SettingForm name={name} isNew={label === undefined} save={save} onDone={onDone}>
      <TextInput
        label="Name"
        required
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <ColorInput
        label="Colour"
        swatches={swatches}
        withPicker={false}
        withEyeDropper={false}
        value={color}
        onChange={setColor}
      />
      <TextInput
        label="Description"
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
    </SettingForm>
  )
}

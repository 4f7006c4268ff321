// Configurations of Telegraf that agents fetch from here: with the command that starts
// an agent on one.

import { Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { apiUrl } from '../api/http.js'
import { saveSetting, type Telegraf, useSettings } from '../api/settings.js'
import { CopyButton } from '../parts/copy-button.js'
import { examples } from '../parts/examples.js'
import { useHere, useMay } from '../shell/here.js'
import { SettingForm } from './setting-form.js'
import { SettingList } from './setting-list.js'

export function TelegrafsTab() {
  const { org } = useHere()
  const { lacking } = useMay('write', 'telegrafs')
  return (
    <SettingList
      kind="telegrafs"
      noun="configuration"
      found={useSettings('telegrafs', org.id)}
      lacking={lacking}
      purpose="An agent fetches its configuration from here when it starts: one place for all machines."
      example={examples.telegrafs(org.id)}
      nameOf={({ name }) => name}
      columns={[
        ['Description', ({ description }: Telegraf) => description],
        [
          'Start an agent',
          ({ id }: Telegraf) => <CopyButton text={command(id)} label="Copy the command" />,
        ],
      ]}
      form={(one, onDone) => <TelegrafForm telegraf={one} onDone={onDone} />}
    />
  )
}

function command(id: string): string {
  return `INFLUX_TOKEN=$TOKEN telegraf --config ${apiUrl(`api/v2/telegrafs/${id}`)}`
}

function startConfig(org: string): string {
  return `[[outputs.influxdb_v2]]
  urls = ["${apiUrl('').replace(/\/$/, '')}"]
  token = "$INFLUX_TOKEN"
  organization = ${JSON.stringify(org)}
  bucket = "telegraf"

[[inputs.cpu]]
[[inputs.mem]]
[[inputs.disk]]
`
}

interface TelegrafFormProps {
  readonly telegraf: Telegraf | undefined
  readonly onDone: () => void
}

function TelegrafForm({ telegraf, onDone }: TelegrafFormProps) {
  const { org } = useHere()
  const [name, setName] = useState(telegraf?.name ?? '')
  const [description, setDescription] = useState(telegraf?.description ?? '')
  const [config, setConfig] = useState(telegraf?.config ?? startConfig(org.name))
  const save = () => {
    const json = { ...telegraf, orgID: org.id, name, description, config }
    return saveSetting('telegrafs', telegraf?.id, json, 'PUT')
  }
  return (
    <SettingForm name={name} isNew={telegraf === undefined} save={save} onDone={onDone}>
      <div className="fields-2">
        <TextInput
          label="Name"
          required
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          label="Description"
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
      </div>
      <Textarea
        label="Configuration"
        autosize
        minRows={10}
        maxRows={18}
        classNames={{ input: 'mono' }}
        value={config}
        onChange={(event) => setConfig(event.currentTarget.value)}
      />
    </SettingForm>
  )
}

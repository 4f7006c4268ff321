// Scripts: queries that are kept under a name and run by others with parameters,
// over the interface or in tasks.

import { Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { type Script, saveSetting, useSettings } from '../api/settings.js'
import { Editor } from '../editor/editor.js'
import { examples } from '../parts/examples.js'
import { languages } from '../query/language.js'
import { useHere, useMay } from '../shell/here.js'
import { SettingForm } from './setting-form.js'
import { SettingList } from './setting-list.js'

export function ScriptsTab() {
  const { org } = useHere()
  const { lacking } = useMay('write', 'functions')
  return (
    <SettingList
      kind="scripts"
      noun="script"
      found={useSettings('scripts', org.id)}
      lacking={lacking}
      purpose="A script is a query under a name, which others run with parameters."
      example={examples.scripts()}
      nameOf={({ name }) => name}
      columns={[
        ['Language', ({ language }: Script) => languageName(language)],
        ['Description', ({ description }: Script) => description],
      ]}
      form={(one, onDone) => <ScriptForm script={one} onDone={onDone} />}
    />
  )
}

function languageName(value: Script['language']): string {
  return languages.find((language) => language.value === value)?.label ?? value
}

interface ScriptFormProps {
  readonly script: Script | undefined
  readonly onDone: () => void
}

function ScriptForm({ script, onDone }: ScriptFormProps) {
  const { org } = useHere()
  const [name, setName] = useState(script?.name ?? '')
  const [description, setDescription] = useState(script?.description ?? '')
  const [language, setLanguage] = useState<Script['language']>(script?.language ?? 'flux')
  const [text, setText] = useState(script?.script ?? '')
  const save = () =>
    script === undefined
      ? saveSetting('scripts', undefined, {
          orgID: org.id,
          name,
          description,
          language,
          script: text,
        })
      : saveSetting('scripts', script.id, { description, script: text })
  return (
    <SettingForm name={name} isNew={script === undefined} save={save} onDone={onDone}>
      <div className="fields-2">
        <TextInput
          label="Name"
          required
          data-autofocus
          disabled={script !== undefined}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Select
          label="Language"
          disabled={script !== undefined}
          data={[...languages]}
          value={language}
          onChange={(value) => setLanguage(value as Script['language'])}
        />
      </div>
      <TextInput
        label="Description"
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
      <div className="query-editor">
        <Editor
          language={language}
          label="Script"
          value={text}
          isChecked={false}
          onChange={setText}
        />
      </div>
    </SettingForm>
  )
}

// Variables: named values that dashboards put into their queries: a list, a list of pairs,
// or what a query gives.

import { Select, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { saveSetting, useSettings, type Variable, type VariableArguments } from '../api/settings.js'
import { examples } from '../parts/examples.js'
import { plural } from '../parts/figures.js'
import { useHere, useMay } from '../shell/here.js'
import { SettingForm } from './setting-form.js'
import { SettingList } from './setting-list.js'
import { argumentsOf, argumentsText } from './variable-text.js'

export function VariablesTab() {
  const { org } = useHere()
  const { lacking } = useMay('write', 'variables')
  return (
    <SettingList
      kind="variables"
      noun="variable"
      found={useSettings('variables', org.id)}
      lacking={lacking}
      purpose="A variable is a name that dashboards put into their queries, with the values to choose from."
      example={examples.variables(org.id)}
      nameOf={({ name }) => name}
      columns={[
        ['Description', ({ description }: Variable) => description],
        ['Values', ({ arguments: given }: Variable) => <Values of={given} />],
      ]}
      form={(one, onDone) => <VariableForm variable={one} onDone={onDone} />}
    />
  )
}

function Values({ of }: { readonly of: VariableArguments }) {
  if (of.type === 'query') {
    return <code className="clamp">{of.values.query}</code>
  }
  const names = of.type === 'map' ? Object.keys(of.values) : of.values
  return (
    <span title={names.join(', ')}>
      {names.length <= 4 ? names.join(', ') : plural(names.length, 'value')}
    </span>
  )
}

const kinds = [
  { value: 'constant', label: 'list' },
  { value: 'map', label: 'pairs: shown = put in' },
  { value: 'query flux', label: 'query in Flux' },
  { value: 'query influxql', label: 'query in InfluxQL' },
  { value: 'query sql', label: 'query in SQL' },
]

interface VariableFormProps {
  readonly variable: Variable | undefined
  readonly onDone: () => void
}

function VariableForm({ variable, onDone }: VariableFormProps) {
  const { org } = useHere()
  const [name, setName] = useState(variable?.name ?? '')
  const [description, setDescription] = useState(variable?.description ?? '')
  const given = variable?.arguments ?? { type: 'constant', values: [] }
  const [kind, setKind] = useState(
    given.type === 'query' ? `query ${given.values.language}` : given.type,
  )
  const [text, setText] = useState(argumentsText(given))
  const save = () => {
    const json = { orgID: org.id, name, description, arguments: argumentsOf(kind, text) }
    return saveSetting('variables', variable?.id, json)
  }
  return (
    <SettingForm name={name} isNew={variable === undefined} save={save} onDone={onDone}>
      <div className="fields-2">
        <TextInput
          label="Name"
          required
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Select
          label="Its values are a"
          data={kinds}
          value={kind}
          onChange={(value) => setKind(value ?? 'constant')}
        />
      </div>
      <TextInput
        label="Description"
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
      <Textarea
        label={kind.startsWith('query') ? 'Query' : 'Values, one a line'}
        autosize
        minRows={4}
        maxRows={14}
        classNames={{ input: 'mono' }}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </SettingForm>
  )
}

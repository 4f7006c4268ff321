// The variables of the organization: making, changing and deleting them. They are the organization's and not the
// dashboard's: what is saved here is saved at once.

import { ActionIcon, Button, Select, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import {
  createVariable,
  deleteVariable,
  replaceVariable,
  useVariables,
  type Variable,
  type VariableArguments,
} from '../api/variables.js'
import { plural } from '../parts/figures.js'
import { Icon } from '../parts/icons.js'
import { OneOf } from '../parts/one-of.js'
import { Loaded } from '../parts/states.js'
import { done, failed } from '../parts/toasts.js'
import { type Language, languages } from '../query/language.js'
import { useHere, useMay } from '../shell/here.js'
import { useBoard } from './board.js'

export function VariablesDialog() {
  const { org } = useHere()
  const found = useVariables(org.id)
  const { isAllowed, lacking } = useMay('write', 'variables')
  const [edited, setEdited] = useState<Variable | 'new'>()
  if (edited !== undefined) {
    return (
      <VariableForm
        variable={edited === 'new' ? undefined : edited}
        onClose={() => setEdited(undefined)}
      />
    )
  }
  return (
    <div className="stack">
      <p className="muted">
        Flux uses a variable as <code>v.name</code>, InfluxQL and SQL as <code>$name</code>. Values
        are always quoted.
      </p>
      <Loaded of={found} what="Variables">
        {(all) => (
          <ul className="variable-list">
            {all.map((variable) => (
              <VariableRow key={variable.id} variable={variable} onEdit={setEdited} />
            ))}
            {all.length === 0 && <li className="muted">There are none yet.</li>}
          </ul>
        )}
      </Loaded>
      <div className="row">
        <Button
          size="xs"
          disabled={!isAllowed}
          title={lacking}
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => setEdited('new')}
        >
          Variable
        </Button>
      </div>
    </div>
  )
}

interface VariableRowProps {
  readonly variable: Variable
  readonly onEdit: (variable: Variable) => void
}

function VariableRow({ variable, onEdit }: VariableRowProps) {
  const { id, name } = variable
  const client = useQueryClient()
  const { isAllowed } = useMay('write', 'variables')
  const [isSure, setSure] = useState(false)
  const remove = async () => {
    if (!isSure) {
      setSure(true)
      return
    }
    try {
      await deleteVariable(id)
      done(`${name} is deleted`)
      await client.invalidateQueries({ queryKey: ['variables'] })
    } catch (error) {
      failed(error, name)
    }
  }
  return (
    <li>
      <strong className="mono">{name}</strong>
      <span className="muted small grow">{summaryOf(variable.arguments)}</span>
      <Button
        size="compact-xs"
        variant="default"
        disabled={!isAllowed}
        onClick={() => onEdit(variable)}
      >
        Edit
      </Button>
      <ActionIcon
        variant="subtle"
        color="red"
        disabled={!isAllowed}
        aria-label={isSure ? `Delete ${name}: sure?` : `Delete ${name}`}
        onClick={() => void remove()}
      >
        {isSure ? <Icon name="check" size={14} /> : <Icon name="trash" size={14} />}
      </ActionIcon>
    </li>
  )
}

function summaryOf({ type, values }: VariableArguments): string {
  if (type === 'query')
    return `asked in ${languages.find(({ value }) => value === values.language)?.label}`
  if (type === 'map') return plural(Object.keys(values).length, 'named value')
  return values.length <= 4 ? values.join(', ') : plural(values.length, 'value')
}

type Kind = VariableArguments['type']

interface Fields {
  readonly name: string
  readonly kind: Kind
  /** One a line, or the query. */
  readonly text: string
  readonly language: Language
  readonly bucket: string | undefined
}

function fieldsOf(variable: Variable | undefined): Fields {
  const empty: Fields = {
    name: '',
    kind: 'constant',
    text: '',
    language: 'flux',
    bucket: undefined,
  }
  if (variable === undefined) return empty
  const { name, arguments: given } = variable
  if (given.type === 'query') {
    const { query, language, bucket } = given.values
    return { name, kind: 'query', text: query, language, bucket }
  }
  const lines =
    given.type === 'map'
      ? Object.entries(given.values).map(([key, value]) => `${key}: ${value}`)
      : given.values
  return { ...empty, name, kind: given.type, text: lines.join('\n') }
}

function argumentsOf({ kind, text, language, bucket }: Fields): VariableArguments {
  if (kind === 'query') {
    const isOfBucket = language !== 'flux' && bucket !== undefined
    return { type: 'query', values: { query: text, language, ...(isOfBucket ? { bucket } : {}) } }
  }
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (kind === 'constant') return { type: 'constant', values: lines }
  const pairs = lines.map((line) => {
    const colon = line.indexOf(':')
    return colon < 0 ? [line, line] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
  })
  return { type: 'map', values: Object.fromEntries(pairs) }
}

interface VariableFormProps {
  readonly variable: Variable | undefined
  readonly onClose: () => void
}

function VariableForm({ variable, onClose }: VariableFormProps) {
  const { org } = useHere()
  const client = useQueryClient()
  const [fields, setFields] = useState(() => fieldsOf(variable))
  const [problem, setProblem] = useState<string>()
  const set = (part: Partial<Fields>) => setFields({ ...fields, ...part })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const { description, selected } = variable ?? {}
    const input = { name: fields.name, description, selected, arguments: argumentsOf(fields) }
    try {
      if (variable === undefined) await createVariable(org.id, input)
      else await replaceVariable(variable.id, org.id, input)
      await client.invalidateQueries({ queryKey: ['variables'] })
      onClose()
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  return (
    <form className="stack" onSubmit={submit}>
      <TextInput
        label="Name"
        data-autofocus
        value={fields.name}
        error={problem}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <OneOf
        aria-label="Values"
        data={[
          { value: 'constant', label: 'A list' },
          { value: 'map', label: 'Names for values' },
          { value: 'query', label: 'Asked by a query' },
        ]}
        value={fields.kind}
        onChange={(kind) => set({ kind: kind as Kind })}
      />
      {fields.kind === 'query' && <QueryFields fields={fields} onChange={set} />}
      <Textarea
        label={
          { constant: 'One value a line', map: 'One name: value a line', query: 'Query' }[
            fields.kind
          ]
        }
        classNames={{ input: 'mono' }}
        autosize
        minRows={5}
        maxRows={16}
        value={fields.text}
        onChange={(event) => set({ text: event.currentTarget.value })}
      />
      <div className="row">
        <Button type="submit">{variable === undefined ? 'Make it' : 'Save it'}</Button>
        <Button variant="default" onClick={onClose}>
          Back
        </Button>
      </div>
    </form>
  )
}

interface QueryFieldsProps {
  readonly fields: Fields
  readonly onChange: (part: Partial<Fields>) => void
}

function QueryFields({ fields, onChange }: QueryFieldsProps) {
  const { buckets } = useBoard()
  const { language, bucket } = fields
  return (
    <div className="row">
      <OneOf
        aria-label="Language"
        data={languages}
        value={language}
        onChange={(value) => onChange({ language: value as Language })}
      />
      {language !== 'flux' && (
        <Select
          size="xs"
          aria-label="Bucket"
          searchable
          data={buckets.map(({ name }) => name)}
          value={bucket ?? buckets[0]?.name ?? null}
          onChange={(name) => name !== null && onChange({ bucket: name })}
        />
      )}
    </div>
  )
}

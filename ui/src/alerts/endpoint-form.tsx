// An endpoint: what kind of receiver, and what that kind is asked for. A secret that is kept already is left as it is
// unless something is typed over it.

import { Button, PasswordInput, Select, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { type Endpoint, saveDefinition } from '../api/alerts.js'
import { Failed } from '../parts/states.js'
import { done } from '../parts/toasts.js'
import { useHere } from '../shell/here.js'
import { type EndpointField, endpointKinds } from './endpoint-kinds.js'

export interface EndpointFormProps {
  /** Absent: a new one. */
  readonly endpoint: Endpoint | undefined
  readonly onDone: () => void
}

export function EndpointForm({ endpoint, onDone }: EndpointFormProps) {
  const { org } = useHere()
  const [name, setName] = useState(endpoint?.name ?? '')
  const [type, setType] = useState(endpoint?.type ?? 'http')
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [error, setError] = useState<unknown>()
  const kind = endpointKinds.find((one) => one.type === type) ?? endpointKinds[0]
  const valueFor = (field: EndpointField) => {
    const kept = endpoint?.[field.name]
    return typed[field.name] ?? (kept === undefined ? (field.choices?.[0] ?? '') : String(kept))
  }
  const method = kind.fields.find((field) => field.name === 'authMethod')
  const signsInBy = method && valueFor(method)
  const shownFields = kind.fields.filter(({ authMethod = signsInBy }) => authMethod === signsInBy)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setError(undefined)
    const values = shownFields.map((field) => [field.name, fieldValue(field, valueFor(field))])
    const before = endpoint ?? { status: 'active' }
    try {
      const json = { ...before, ...Object.fromEntries(values), orgID: org.id, name, type }
      await saveDefinition('notificationEndpoints', endpoint?.id, json)
      done(`${name} is saved`)
      onDone()
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <form onSubmit={submit} className="stack">
      <TextInput
        label="Name"
        required
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Select
        label="Kind"
        disabled={endpoint !== undefined}
        data={endpointKinds.map(({ type: value, label }) => ({ value, label }))}
        value={type}
        onChange={(value) => setType(value ?? 'http')}
      />
      {shownFields.map((field) => (
        <OneField
          key={field.name}
          field={field}
          value={valueFor(field)}
          onChange={(value) => {
            setError(undefined)
            setTyped({ ...typed, [field.name]: value })
          }}
        />
      ))}
      {error !== undefined && <Failed error={error} what="Not saved" />}
      <Button type="submit">{endpoint === undefined ? 'Make it' : 'Save'}</Button>
    </form>
  )
}

/** What is empty is left out, numbers are numbers. */
function fieldValue({ name }: EndpointField, value: string): string | number | undefined {
  if (value === '') return undefined
  return name === 'port' ? Number(value) : value
}

interface OneFieldProps {
  readonly field: EndpointField
  readonly value: string
  readonly onChange: (value: string) => void
}

function OneField({ field, value, onChange }: OneFieldProps) {
  const { label, isSecret, isOptional = false, hint, choices } = field
  if (choices !== undefined) {
    return (
      <Select
        label={label}
        data={[...choices]}
        value={value}
        onChange={(chosen) => onChange(chosen ?? choices[0])}
      />
    )
  }
  if (isSecret) {
    const isKept = value.startsWith('secret: ')
    return (
      <PasswordInput
        label={isOptional ? `${label} (optional)` : label}
        autoComplete="off"
        placeholder={isKept ? 'kept as it is' : undefined}
        visibilityToggleButtonProps={{ 'aria-label': `Show: ${label}` }}
        value={isKept ? '' : value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  }
  return (
    <TextInput
      label={isOptional ? `${label} (optional)` : label}
      placeholder={hint}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

// A rule: at which levels, for which tags, to whom, in which words, how often. What the form does not show is kept as
// it was.

import { Button, Checkbox, Select, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { type Endpoint, type Rule, saveDefinition } from '../api/alerts.js'
import { Failed } from '../parts/states.js'
import { done } from '../parts/toasts.js'
import { useHere } from '../shell/here.js'
import { StatusRules, TagRules } from './rule-conditions.js'

export interface RuleFormProps {
  /** Absent: a new one. */
  readonly rule: Rule | undefined
  readonly endpoints: readonly Endpoint[]
  readonly onDone: () => void
}

export function RuleForm({ rule, endpoints, onDone }: RuleFormProps) {
  const { org } = useHere()
  const [draft, setDraft] = useState<Partial<Rule>>(
    () => rule ?? { ...newRule, endpointID: endpoints[0]?.id },
  )
  const [error, setError] = useState<unknown>()
  const set = (part: Partial<Rule>) => setDraft({ ...draft, ...part })
  const type = endpoints.find(({ id }) => id === draft.endpointID)?.type ?? draft.type
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setError(undefined)
    try {
      const json = { ...withoutEmpty(draft), orgID: org.id, type }
      await saveDefinition('notificationRules', rule?.id, json)
      done(`${draft.name} is saved`)
      onDone()
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <form onSubmit={submit} className="stack">
      <div className="fields-3">
        <TextInput
          label="Name"
          required
          data-autofocus
          value={draft.name ?? ''}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <Select
          label="Tells it to"
          data={endpoints.map(({ id, name }) => ({ value: id, label: name }))}
          value={draft.endpointID ?? null}
          onChange={(endpointID) => set({ endpointID: endpointID ?? '' })}
        />
        <TextInput
          label="Looks every"
          value={draft.every ?? ''}
          onChange={(event) => set({ every: event.currentTarget.value })}
        />
      </div>
      <StatusRules
        list={draft.statusRules ?? []}
        onChange={(statusRules) => set({ statusRules })}
      />
      <TagRules list={draft.tagRules ?? []} onChange={(tagRules) => set({ tagRules })} />
      <Words type={type ?? ''} draft={draft} onChange={set} />
      <Timing draft={draft} onChange={set} />
      {error !== undefined && <Failed error={error} what="Not saved" />}
      <Button type="submit">{rule === undefined ? 'Make it' : 'Save'}</Button>
    </form>
  )
}

const newRule: Partial<Rule> = {
  name: '',
  status: 'active',
  every: '1m',
  sendResolved: true,
  statusRules: [{ currentLevel: 'CRIT', previousLevel: 'ANY' }],
}

function withoutEmpty(draft: Partial<Rule>): object {
  return Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== ''))
}

interface PartProps {
  readonly draft: Partial<Rule>
  readonly onChange: (part: Partial<Rule>) => void
}

function Words({ type, draft, onChange }: PartProps & { readonly type: string }) {
  const field = (name: 'channel' | 'to' | 'subjectTemplate') => ({
    value: draft[name] ?? '',
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange({ [name]: event.currentTarget.value }),
  })
  if (type === 'smtp') {
    return (
      <>
        <div className="fields-2">
          <TextInput label="To" {...field('to')} />
          <TextInput label="Subject" {...field('subjectTemplate')} />
        </div>
        <Textarea
          label="Text"
          autosize
          minRows={3}
          value={draft.bodyTemplate ?? ''}
          onChange={(event) => onChange({ bodyTemplate: event.currentTarget.value })}
        />
      </>
    )
  }
  return (
    <>
      {type === 'slack' && <TextInput label="Channel (optional)" {...field('channel')} />}
      {type !== 'http' && (
        <TextInput
          label="Words (optional: those of the check)"
          classNames={{ input: 'mono' }}
          placeholder="${ r._check_name }: ${ r._message }"
          value={draft.messageTemplate ?? ''}
          onChange={(event) => onChange({ messageTemplate: event.currentTarget.value })}
        />
      )}
    </>
  )
}

function Timing({ draft, onChange }: PartProps) {
  const grouped = draft.groupBy === undefined ? '' : draft.groupBy.join(', ')
  return (
    <>
      <Checkbox
        label="Also tell when it is over"
        checked={draft.sendResolved ?? false}
        onChange={(event) => onChange({ sendResolved: event.currentTarget.checked })}
      />
      <div className="fields-3">
        <TextInput
          label="Tell again every"
          placeholder="never"
          value={draft.repeatEvery ?? ''}
          onChange={(event) => onChange({ repeatEvery: event.currentTarget.value })}
        />
        <TextInput
          label="One message for equal"
          placeholder="tags, with commas"
          value={grouped}
          onChange={(event) => onChange({ groupBy: tagNames(event.currentTarget.value) })}
        />
      </div>
    </>
  )
}

function tagNames(text: string): string[] | undefined {
  return text === '' ? undefined : text.split(',').map((name) => name.trim())
}

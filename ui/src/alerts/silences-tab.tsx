// Silences: for a while, statuses with certain tags are not told. They end by themselves; one that is deleted ends
// at once.

import { Button, Select, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import {
  deleteDefinition,
  type Matcher,
  type Silence,
  saveDefinition,
  useDefinitions,
} from '../api/alerts.js'
import { Dialog } from '../parts/dialog.js'
import { examples } from '../parts/examples.js'
import { momentText } from '../parts/figures.js'
import { Mark, type Tone } from '../parts/mark.js'
import { MayButton } from '../parts/may-button.js'
import { Empty, Failed, Loaded } from '../parts/states.js'
import { SureButton } from '../parts/sure-button.js'
import { done } from '../parts/toasts.js'
import { useChange } from '../parts/use-change.js'
import { useHere, useMay } from '../shell/here.js'

const silenceMs = 7_200_000

function inTwoHours(): string {
  return new Date(Date.now() + silenceMs).toISOString()
}

export function SilencesTab() {
  const { org } = useHere()
  const found = useDefinitions('silences', org.id)
  const { lacking } = useMay('write', 'notificationRules')
  const { change } = useChange('silences')
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="stack">
      <div>
        <MayButton lacking={lacking} icon="plus" onClick={() => setOpen(true)}>
          New silence
        </MayButton>
      </div>
      <Loaded of={found} what="silences">
        {(list) =>
          list.length === 0 ? (
            <Empty title="No silence" example={examples.silence(org.id, inTwoHours())}>
              For a while, statuses that carry certain tags are not told: during a move, or while
              somebody is at it.
            </Empty>
          ) : (
            <Silences list={list} lacking={lacking} />
          )
        }
      </Loaded>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title="New silence">
        {isOpen && (
          <SilenceForm
            onDone={() => {
              setOpen(false)
              void change(() => Promise.resolve())
            }}
          />
        )}
      </Dialog>
    </div>
  )
}

const tones: Readonly<Record<Silence['status'], readonly [Tone, string]>> = {
  active: ['info', 'holds'],
  pending: ['muted', 'to come'],
  expired: ['muted', 'over'],
}

interface SilencesProps {
  readonly list: readonly Silence[]
  readonly lacking: string | undefined
}

function Silences({ list, lacking }: SilencesProps) {
  const { change } = useChange('silences')
  return (
    <div className="table-scroll">
      <table className="plain-table">
        <thead>
          <tr>
            <th>State</th>
            <th>Series where</th>
            <th>From</th>
            <th>To</th>
            <th>Why</th>
            <th>
              <span className="hidden-text">End</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.map(({ id, status, matchers, startsAt, endsAt, comment }) => (
            <tr key={id}>
              <td>
                <Mark tone={tones[status][0]}>{tones[status][1]}</Mark>
              </td>
              <td className="mono">{matchers.map(matcherText).join(', ')}</td>
              <td className="no-wrap">{momentText(startsAt)}</td>
              <td className="no-wrap">{momentText(endsAt)}</td>
              <td>{comment}</td>
              <td>
                <SureButton
                  label={`End ${comment || 'the silence'}`}
                  text={status === 'expired' ? 'Delete' : 'End'}
                  isDisabled={lacking !== undefined}
                  onSure={() => change(() => deleteDefinition('silences', id), 'It is over')}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function matcherText({ name, value, isRegex = false, isEqual = true }: Matcher): string {
  const sign = isRegex ? (isEqual ? '=~' : '!~') : isEqual ? '=' : '!='
  return `${name}${sign}${value}`
}

const spans = [
  { value: '1', label: 'an hour' },
  { value: '4', label: '4 hours' },
  { value: '24', label: 'a day' },
  { value: '168', label: 'a week' },
]

function SilenceForm({ onDone }: { readonly onDone: () => void }) {
  const { org } = useHere()
  const [matcher, setMatcher] = useState({ name: '', value: '', test: '=' })
  const [hours, setHours] = useState('1')
  const [comment, setComment] = useState('')
  const [error, setError] = useState<unknown>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setError(undefined)
    const { name, value, test } = matcher
    const isRegex = test.endsWith('~')
    const endsAt = new Date(Date.now() + Number(hours) * 3_600_000).toISOString()
    const matchers = [{ name, value, isRegex, isEqual: test.startsWith('=') }]
    try {
      await saveDefinition('silences', undefined, { orgID: org.id, matchers, endsAt, comment })
      done('It is silent')
      onDone()
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <form onSubmit={submit} className="stack">
      <div className="row row-end">
        <TextInput
          label="Tag"
          placeholder="host"
          required
          data-autofocus
          w={120}
          value={matcher.name}
          onChange={(event) => setMatcher({ ...matcher, name: event.currentTarget.value })}
        />
        <Select
          aria-label="Comparison"
          w={130}
          data={[
            { value: '=', label: 'is' },
            { value: '!=', label: 'is not' },
            { value: '=~', label: 'matches' },
            { value: '!~', label: 'does not match' },
          ]}
          value={matcher.test}
          onChange={(test) => setMatcher({ ...matcher, test: test ?? '=' })}
        />
        <TextInput
          label="Value"
          required
          w={130}
          value={matcher.value}
          onChange={(event) => setMatcher({ ...matcher, value: event.currentTarget.value })}
        />
      </div>
      <Select label="For" data={spans} value={hours} onChange={(value) => setHours(value ?? '1')} />
      <TextInput
        label="Why"
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
      {error !== undefined && <Failed error={error} what="Not saved" />}
      <Button type="submit">Silence it</Button>
    </form>
  )
}

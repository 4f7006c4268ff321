// One check: the query, the levels that follow from it, and what it would have said in the past. The chart shows the
// query with its thresholds; nothing is saved before the button says so.

import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { type Check, saveDefinition, useDefinition } from '../api/alerts.js'
import { Editor } from '../editor/editor.js'
import { Link } from '../parts/link.js'
import { LoadedPage } from '../parts/loaded-page.js'
import { OneOf } from '../parts/one-of.js'
import { Page } from '../parts/page.js'
import { Failed } from '../parts/states.js'
import { done } from '../parts/toasts.js'
import { useChange } from '../parts/use-change.js'
import { useHere, useMay } from '../shell/here.js'
import { CheckChart } from './check-chart.js'
import { type CheckDraft, definitionOf, draftOf, sourceText } from './check-draft.js'
import { CheckLevels } from './check-levels.js'
import { CheckSourceFields } from './check-source.js'
import { CheckTrial } from './check-trial.js'

export function CheckPage() {
  const { id } = useParams<{ id: string }>()
  return id === 'new' ? <CheckForm check={undefined} /> : <KnownCheck id={id} />
}

function KnownCheck({ id }: { readonly id: string }) {
  const found = useDefinition('checks', id)
  return (
    <LoadedPage of={found} title="Check" what="check">
      {(check) => <CheckForm key={check.id} check={check} />}
    </LoadedPage>
  )
}

const kinds = [
  { value: 'threshold', label: 'Threshold' },
  { value: 'deadman', label: 'Silence' },
  { value: 'custom', label: 'Script' },
]

function CheckForm({ check }: { readonly check: Check | undefined }) {
  const { org } = useHere()
  const [, go] = useLocation()
  const { lacking } = useMay('write', 'checks')
  const { change, isBusy } = useChange('checks')
  const [draft, setDraft] = useState<CheckDraft>(() => ({
    ...draftOf(check),
    ...(check === undefined ? givenText(location.search) : undefined),
  }))
  const [error, setError] = useState<unknown>()
  const set = (part: Partial<CheckDraft>) => setDraft(followed(draft, part))
  const save = async () => {
    setError(undefined)
    await change(async () => {
      try {
        const saved = await saveDefinition('checks', check?.id, definitionOf(draft, check, org.id))
        done(`${saved.name} is saved`)
        if (check === undefined) go(`/alerts/checks/${saved.id}`)
      } catch (failure) {
        setError(failure)
      }
    })
  }
  return (
    <Page
      title={check?.name ?? 'New check'}
      actions={<Link href="/alerts/checks">All checks</Link>}
    >
      <div className="fields-3">
        <TextInput
          label="Name"
          required
          value={draft.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        {draft.type !== 'custom' && (
          <TextInput
            label="Every"
            value={draft.every}
            onChange={(event) => set({ every: event.currentTarget.value })}
          />
        )}
        <TextInput
          label="A level counts after"
          placeholder="at once"
          value={draft.for}
          onChange={(event) => set({ for: event.currentTarget.value })}
        />
      </div>
      {check === undefined && (
        <OneOf
          aria-label="Kind of check"
          data={kinds}
          value={draft.type}
          onChange={(value) => set({ type: value as Check['type'] })}
        />
      )}
      {draft.type !== 'custom' && <CheckSourceFields draft={draft} onChange={set} />}
      <div className="query-editor">
        <Editor
          language="flux"
          label="Query"
          value={draft.text}
          onChange={(text) => set({ text })}
        />
      </div>
      {draft.type !== 'custom' && (
        <>
          <CheckChart draft={draft} onChange={set} />
          <CheckLevels draft={draft} onChange={set} />
        </>
      )}
      {error !== undefined && <Failed error={error} what="Not saved" />}
      <div className="row">
        <Button loading={isBusy} disabled={lacking !== undefined} title={lacking} onClick={save}>
          {check === undefined ? 'Make it' : 'Save'}
        </Button>
      </div>
      {check !== undefined && <CheckTrial check={check} lacking={lacking} />}
    </Page>
  )
}

/** What a link brings along: the explorer's question. */
function givenText(search: string): Partial<CheckDraft> | undefined {
  const text = new URLSearchParams(search).get('q')
  return text === null ? undefined : { text }
}

/** The text follows the fields above it for as long as it is what they wrote. */
function followed(before: CheckDraft, part: Partial<CheckDraft>): CheckDraft {
  const after = { ...before, ...part }
  if (part.text !== undefined) return after
  const isOurs = before.text === '' || before.text === sourceText(before.source, before.type)
  const text = sourceText(after.source, after.type)
  return isOurs && text !== undefined ? { ...after, text } : after
}

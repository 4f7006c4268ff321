// The definition of a task: a script in one of the three languages. In Flux name and schedule stand in the script, as
// its option `task`; for InfluxQL and SQL they are fields beside the query. Text is the one place where each is kept.

import { Button, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { type Bucket, useBuckets } from '../api/buckets.js'
import { changeTask, createTask, type Task, type TaskInput } from '../api/tasks.js'
import { Editor } from '../editor/editor.js'
import { OneOf } from '../parts/one-of.js'
import { Failed } from '../parts/states.js'
import { done } from '../parts/toasts.js'
import { type Language, languages } from '../query/language.js'
import { useHere } from '../shell/here.js'
import { type Draft, draftOf, givenDraft, inputOf, startText } from './task-draft.js'
import { WritesTo } from './writes-to.js'

export interface TaskFormProps {
  /** Absent: a new one. */
  readonly task: Task | undefined
  readonly lacking: string | undefined
  readonly onSaved: (task: Task) => void
}

export function TaskForm({ task, lacking, onSaved }: TaskFormProps) {
  const { org } = useHere()
  const { data: buckets = [] } = useBuckets(org.id)
  const [draft, setDraft] = useState<Draft>(() => ({
    ...draftOf(task),
    ...(task === undefined ? givenDraft(location.search) : undefined),
  }))
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const { language } = draft
  const text = draft.texts[language] ?? startText(language, names(buckets))
  const save = async () => {
    setBusy(true)
    setError(undefined)
    try {
      const input: TaskInput = inputOf(draft, text)
      const saved =
        task === undefined ? await createTask(org.id, input) : await changeTask(task.id, input)
      done(`${saved.name} is saved`)
      onSaved(saved)
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change })
  return (
    <div className="stack">
      {task === undefined && (
        <OneOf
          aria-label="Language"
          data={languages}
          value={language}
          onChange={(value) => set({ language: value as Language })}
        />
      )}
      {language !== 'flux' && <QueryFields draft={draft} buckets={buckets} onChange={set} />}
      {language === 'flux' && (
        <p className="muted small">
          The option <code>task</code> names the task and says when it runs: <code>every</code> or{' '}
          <code>cron</code>, <code>offset</code>, <code>zone</code>, <code>concurrency</code>,{' '}
          <code>retry</code>. <code>now()</code> is the moment the run is for.
        </p>
      )}
      <div className="script-editor">
        <Editor
          language={language}
          label="Script"
          value={text}
          onChange={(value) => set({ texts: { ...draft.texts, [language]: value } })}
          onRun={save}
        />
      </div>
      <WritesTo language={language} text={text} database={draft.database} buckets={buckets} />
      {error !== undefined && <Failed error={error} what="Not saved" />}
      <div className="row">
        <Button loading={isBusy} disabled={lacking !== undefined} title={lacking} onClick={save}>
          {task === undefined ? 'Make it' : 'Save'}
        </Button>
      </div>
    </div>
  )
}

function names(buckets: readonly Bucket[]): string {
  return buckets.find(({ type }) => type === 'user')?.name ?? 'b'
}

interface QueryFieldsProps {
  readonly draft: Draft
  readonly buckets: readonly Bucket[]
  readonly onChange: (change: Partial<Draft>) => void
}

function QueryFields({ draft, buckets, onChange }: QueryFieldsProps) {
  const field = (name: 'name' | 'every' | 'cron' | 'offset' | 'targetMeasurement') => ({
    value: draft[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange({ [name]: event.currentTarget.value }),
  })
  const choices = buckets.map(({ name }) => name)
  return (
    <div className="fields-3">
      <TextInput label="Name" required {...field('name')} />
      <TextInput label="Every" placeholder="1h" {...field('every')} />
      <TextInput label="or cron" placeholder="0 2 * * *" {...field('cron')} />
      <TextInput label="Offset" placeholder="5m" {...field('offset')} />
      <Select
        label="Reads from"
        searchable
        data={choices}
        value={draft.database || null}
        onChange={(value) => onChange({ database: value ?? '' })}
      />
      {draft.language === 'sql' && (
        <>
          <Select
            label="Writes to"
            searchable
            data={choices}
            value={draft.targetBucket || null}
            onChange={(value) => onChange({ targetBucket: value ?? '' })}
          />
          <TextInput label="as measurement" {...field('targetMeasurement')} />
        </>
      )}
    </div>
  )
}

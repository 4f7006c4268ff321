// Editing one cell: what it will look like, its queries, each in its language, and the options of its kind and of no
// other. Nothing is changed before it is done.

import { ActionIcon, Button, Select, Textarea, TextInput } from '@mantine/core'
import { useDeferredValue, useState } from 'react'
import type { Cell, ViewProperties } from '../api/dashboards.js'
import { newQuery, type ViewKind, viewKinds } from '../api/new-cells.js'
import { EditorFrame } from '../editor/editor-frame.js'
import { Icon } from '../parts/icons.js'
import { later } from '../parts/later.js'
import { OneOf } from '../parts/one-of.js'
import { type Language, languages } from '../query/language.js'
import { emptyModel } from '../query/model.js'
import { starter } from '../query/print.js'
import { useBoard } from './board.js'
import { CellBody } from './cell-body.js'
import { ofKind } from './cell-kind.js'
import { CellOptions } from './cell-options.js'
import { type CellQuery, kindOf, listOf, queriesOf, textOf, withQuery } from './view-properties.js'

const Editor = later(async () => (await import('../editor/editor.js')).Editor, <EditorFrame />)

export interface CellEditorProps {
  readonly cell: Cell
  readonly onDone: (cell: Cell) => void
  readonly onCancel: () => void
}

export function CellEditor({ cell, onDone, onCancel }: CellEditorProps) {
  const [draft, setDraft] = useState(cell)
  const [asked, setAsked] = useState(cell.properties)
  const { name, properties } = draft
  const set = (changed: ViewProperties) => setDraft({ ...draft, properties: changed })
  const kind = kindOf(properties) ?? 'xy'
  // Options show at once; a query that is typed waits for Run.
  const shown = useDeferredValue({ ...properties, queries: asked.queries })
  const run = () => setAsked(properties)
  return (
    <div className="cell-editor">
      <section className="cell-editor-preview" aria-label="Preview">
        <CellBody cell={{ name, properties: shown }} />
      </section>
      <aside className="cell-editor-options stack" aria-label="Options">
        <TextInput
          label="Name"
          data-autofocus
          value={name}
          onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
        />
        <Select
          label="Shown as"
          data={viewKinds.filter(({ value }) => value !== 'check' || kind === 'check')}
          value={kind}
          onChange={(value) => value !== null && set(ofKind(properties, value as ViewKind))}
        />
        <CellOptions kind={kind} properties={properties} onChange={set} />
      </aside>
      <section
        className="cell-editor-queries"
        aria-label={kind === 'markdown' ? 'Text' : 'Queries'}
      >
        {kind === 'markdown' ? (
          <NoteText properties={properties} onChange={set} />
        ) : (
          <Queries properties={properties} onChange={set} onAsk={setAsked} onRun={run} />
        )}
      </section>
      <div className="row cell-editor-end">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button onClick={() => onDone(draft)}>Done</Button>
      </div>
    </div>
  )
}

interface PropertiesProps {
  readonly properties: ViewProperties
  readonly onChange: (properties: ViewProperties) => void
}

function NoteText({ properties, onChange }: PropertiesProps) {
  return (
    <Textarea
      label="Text, in Markdown"
      autosize
      minRows={8}
      maxRows={20}
      value={textOf(properties.note)}
      onChange={(event) => onChange({ ...properties, note: event.currentTarget.value })}
    />
  )
}

interface QueriesProps extends PropertiesProps {
  readonly onAsk: (properties: ViewProperties) => void
  readonly onRun: () => void
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const queriesMax = letters.length

function Queries({ properties, onChange, onAsk, onRun }: QueriesProps) {
  const board = useBoard()
  const [index, setIndex] = useState(0)
  const queries = queriesOf(properties)
  const query = queries[index]
  const add = () => {
    const bucket = query?.bucket ?? board.buckets.find(({ type }) => type === 'user')?.name
    const language = query?.language ?? 'flux'
    const text = starter(emptyModel(bucket ?? '').bucket, language)
    const added = newQuery({ text, language, bucket })
    onChange({ ...properties, queries: [...listOf(properties.queries), added] })
    setIndex(queries.length)
  }
  const remove = () => {
    const left = listOf(properties.queries).filter((_, i) => i !== index)
    const changed = { ...properties, queries: left }
    onChange(changed)
    onAsk(changed)
    setIndex(Math.max(0, index - 1))
  }
  if (query === undefined) {
    return (
      <Button variant="default" leftSection={<Icon name="plus" size={14} />} onClick={add}>
        Query
      </Button>
    )
  }
  return (
    <>
      <div className="row">
        <OneOf
          aria-label="Query"
          value={String(index)}
          onChange={(value) => setIndex(Number(value))}
          data={queries.map((_, i) => ({ value: String(i), label: letters[i] ?? String(i + 1) }))}
        />
        <ActionIcon
          variant="default"
          aria-label="Another query"
          disabled={queries.length >= queriesMax}
          onClick={add}
        >
          <Icon name="plus" size={14} />
        </ActionIcon>
        <ActionIcon
          variant="default"
          aria-label={`Remove query ${letters[index]}`}
          onClick={remove}
        >
          <Icon name="trash" size={14} />
        </ActionIcon>
        <QueryHead
          query={query}
          onChange={(change) => onChange(withQuery(properties, index, change))}
        />
        <Button
          size="xs"
          leftSection={<Icon name="play" size={12} />}
          title="Ctrl Enter"
          onClick={onRun}
        >
          Run
        </Button>
      </div>
      <Editor
        key={index}
        language={query.language}
        value={query.text}
        onChange={(text) => {
          if (text !== query.text) onChange(withQuery(properties, index, { text }))
        }}
        onRun={onRun}
        label={`Query ${letters[index]}`}
      />
    </>
  )
}

interface QueryHeadProps {
  readonly query: CellQuery
  readonly onChange: (change: Partial<CellQuery>) => void
}

function QueryHead({ query, onChange }: QueryHeadProps) {
  const { buckets } = useBoard()
  const { language, bucket } = query
  const chosen = buckets.find(({ name }) => name === bucket) ?? buckets[0]
  return (
    <>
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
          value={chosen?.name ?? null}
          onChange={(name) => name !== null && onChange({ bucket: name })}
        />
      )}
    </>
  )
}

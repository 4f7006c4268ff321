// A question of the explorer as a cell of a dashboard: an old one, or
// one that is made for it.

import { Button, Select, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { createDashboard, dashboard, saveDashboard, useDashboards } from '../api/dashboards.js'
import { newCell, newProperties, newQuery, type ViewKind, viewKinds } from '../api/new-cells.js'
import { done } from '../parts/toasts.js'
import type { Question } from '../query/language.js'
import type { Model } from '../query/model.js'
import { printRange, type TimeRange } from '../query/time-range.js'
import { useHere } from '../shell/here.js'

export interface SaveCellProps {
  readonly question: Question | undefined
  /** By name. */
  readonly bucket: string
  readonly range: TimeRange
  readonly isTable: boolean
  /** Where the tree has written the text. */
  readonly model: Model | undefined
}

const kinds: readonly ViewKind[] = [
  'xy',
  'line-plus-single-stat',
  'single-stat',
  'gauge',
  'table',
  'histogram',
  'heatmap',
]

export function SaveCell(props: SaveCellProps & { readonly question: Question }) {
  const { question, bucket, range, isTable, model: built } = props
  const { org } = useHere()
  const { data: all = [] } = useDashboards(org.id)
  const client = useQueryClient()
  const [, go] = useLocation()
  const [target, setTarget] = useState<string | null>('')
  const [kind, setKind] = useState<ViewKind>(isTable ? 'table' : 'xy')
  const [name, setName] = useState('')
  const [boardName, setBoardName] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const save = async () => {
    const { text, language } = question
    const properties = newProperties(kind, [newQuery({ text, language, bucket, built })])
    if (target === '' || target === null) {
      const cells = [newCell(name, properties, [])]
      return createDashboard(org.id, { name: boardName || 'New dashboard', description: '', cells })
    }
    const { name: old, description = '', cells } = await dashboard(target)
    const added = [...cells, newCell(name, properties, cells)]
    return saveDashboard(target, { name: old, description, cells: added })
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setProblem(undefined)
    try {
      const { id, name: saved } = await save()
      await client.invalidateQueries({ queryKey: ['dashboard', id] })
      void client.invalidateQueries({ queryKey: ['dashboards'] })
      done(`Added to ${saved}`)
      go(`/dashboards/${id}?r=${printRange(range)}`)
    } catch (error) {
      setProblem((error as Error).message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className="stack" onSubmit={submit}>
      <TextInput
        label="Name of the cell"
        data-autofocus
        value={name}
        error={problem}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Select
        label="Shown as"
        data={viewKinds.filter(({ value }) => kinds.includes(value))}
        value={kind}
        onChange={(value) => value !== null && setKind(value as ViewKind)}
      />
      <Select
        label="Dashboard"
        searchable
        data={[
          { value: '', label: 'A new one' },
          ...all.map(({ id, name: known }) => ({ value: id, label: known })),
        ]}
        value={target}
        onChange={setTarget}
      />
      {target === '' && (
        <TextInput
          label="Name of the dashboard"
          placeholder="New dashboard"
          value={boardName}
          onChange={(event) => setBoardName(event.currentTarget.value)}
        />
      )}
      <Button type="submit" loading={isBusy}>
        Add it
      </Button>
    </form>
  )
}

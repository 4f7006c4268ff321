// What opens on top of a dashboard: a cell in full, its query, where to copy it, its place, its editor, and the
// variables of the organization.

import { Button, Select, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type Cell, dashboard, saveDashboard, useDashboards } from '../api/dashboards.js'
import { newCell } from '../api/new-cells.js'
import { CopyButton } from '../parts/copy-button.js'
import { Dialog } from '../parts/dialog.js'
import { later } from '../parts/later.js'
import { Loading } from '../parts/states.js'
import { done, failed } from '../parts/toasts.js'
import { languages } from '../query/language.js'
import { useHere } from '../shell/here.js'
import { CellBody, Note } from './cell-body.js'
import type { Draft } from './editing.js'
import { columnCount, withPlace } from './layout.js'
import { queriesOf, textOf } from './view-properties.js'

const CellEditor = later(async () => (await import('./cell-editor.js')).CellEditor, <Loading />)
const VariablesDialog = later(
  async () => (await import('./variables-dialog.js')).VariablesDialog,
  <Loading />,
)

export type Opened =
  | { readonly kind: 'full' | 'query' | 'copy' | 'arrange'; readonly cell: Cell }
  | { readonly kind: 'edit'; readonly cell: Cell; readonly isNew?: boolean }
  | { readonly kind: 'variables' }

export interface BoardDialogsProps {
  readonly opened: Opened | undefined
  readonly draft: Draft
  readonly dashboardId: string
  readonly onClose: () => void
  readonly onChange: (part: Partial<Draft>) => void
}

export function BoardDialogs(props: BoardDialogsProps) {
  const { opened, draft, onClose, onChange } = props
  const is = (kind: Opened['kind']) => opened?.kind === kind
  const cell = opened !== undefined && 'cell' in opened ? opened.cell : undefined
  const name = cell?.name === '' || cell === undefined ? 'Cell' : cell.name
  const keep = (kept: Cell, isNew: boolean) => {
    const { cells } = draft
    onChange({
      cells: isNew ? [...cells, kept] : cells.map((one) => (one.id === kept.id ? kept : one)),
    })
    onClose()
  }
  return (
    <>
      <Dialog opened={is('full')} onClose={onClose} fullScreen title={name}>
        <div className="cell-full">{cell !== undefined && <CellBody cell={cell} />}</div>
      </Dialog>
      <Dialog opened={is('query')} onClose={onClose} size="lg" title={name}>
        {cell !== undefined && <CellQueries cell={cell} />}
      </Dialog>
      <Dialog opened={is('copy')} onClose={onClose} title={`Copy ${name} to`}>
        {cell !== undefined && (
          <CopyTo cell={cell} dashboardId={props.dashboardId} onClose={onClose} />
        )}
      </Dialog>
      <Dialog opened={is('arrange')} onClose={onClose} title={`Place and size of ${name}`}>
        {cell !== undefined && (
          <Arrange
            cell={cell}
            onDone={(place) => {
              onChange({ cells: withPlace(draft.cells, cell.id, place) })
              onClose()
            }}
          />
        )}
      </Dialog>
      <Dialog
        opened={is('edit')}
        onClose={onClose}
        fullScreen
        title={opened?.kind === 'edit' && opened.isNew ? 'New cell' : `Edit ${name}`}
        closeOnEscape={false}
      >
        {opened?.kind === 'edit' && (
          <CellEditor
            cell={opened.cell}
            onDone={(kept) => keep(kept, opened.isNew === true)}
            onCancel={onClose}
          />
        )}
      </Dialog>
      <Dialog opened={is('variables')} onClose={onClose} size="xl" title="Variables">
        {is('variables') && <VariablesDialog />}
      </Dialog>
    </>
  )
}

function CellQueries({ cell }: { readonly cell: Cell }) {
  const note = textOf(cell.properties.note)
  return (
    <div className="stack">
      {note !== '' && <Note text={note} />}
      {queriesOf(cell.properties).map(({ text, language, bucket }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: queries have no names
        <div key={i} className="stack">
          <p className="small muted">
            {languages.find(({ value }) => value === language)?.label}
            {language !== 'flux' && bucket !== undefined && ` on ${bucket}`}
          </p>
          <div className="code-block">
            <pre>{text}</pre>
            <CopyButton text={text} />
          </div>
        </div>
      ))}
    </div>
  )
}

interface CopyToProps {
  readonly cell: Cell
  readonly dashboardId: string
  readonly onClose: () => void
}

function CopyTo({ cell, dashboardId, onClose }: CopyToProps) {
  const { org } = useHere()
  const client = useQueryClient()
  const { data: all = [] } = useDashboards(org.id)
  const others = all.filter(({ id }) => id !== dashboardId)
  const [target, setTarget] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const copy = async () => {
    if (target === null) return
    setBusy(true)
    try {
      const { name, description = '', cells } = await dashboard(target)
      const made = { ...newCell(cell.name, cell.properties, cells), w: cell.w, h: cell.h }
      await saveDashboard(target, { name, description, cells: [...cells, made] })
      void client.invalidateQueries({ queryKey: ['dashboard', target] })
      done(`Copied to ${name}`)
      onClose()
    } catch (error) {
      failed(error, 'Copy')
    } finally {
      setBusy(false)
    }
  }
  if (others.length === 0) return <p>There is no other dashboard yet.</p>
  return (
    <div className="stack">
      <Select
        label="Dashboard"
        searchable
        data={others.map(({ id, name }) => ({ value: id, label: name }))}
        value={target}
        onChange={setTarget}
      />
      <Button loading={isBusy} disabled={target === null} onClick={() => void copy()}>
        Copy it there
      </Button>
    </div>
  )
}

interface ArrangeProps {
  readonly cell: Cell
  readonly onDone: (place: Pick<Cell, 'x' | 'y' | 'w' | 'h'>) => void
}

function Arrange({ cell, onDone }: ArrangeProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const whole = (name: string) => Number(form.get(name))
    onDone({
      x: whole('column') - 1,
      y: whole('row') - 1,
      w: whole('width'),
      h: whole('height'),
    })
  }
  const fields = [
    ['column', 'Column', cell.x + 1, columnCount],
    ['row', 'Row', cell.y + 1, 1000],
    ['width', 'Width in columns', cell.w, columnCount],
    ['height', 'Height in rows', cell.h, 100],
  ] as const
  return (
    <form onSubmit={submit} className="stack">
      <div className="fields-2">
        {fields.map(([name, label, value, max]) => (
          <TextInput
            key={name}
            type="number"
            name={name}
            label={label}
            min={1}
            max={max}
            required
            defaultValue={value}
          />
        ))}
      </div>
      <Button type="submit">Place it</Button>
    </form>
  )
}

// What can be done while a dashboard is edited: cells, notes, variables, undo and redo, and at the end keeping all
// of it or nothing.

import { ActionIcon, Button, TextInput } from '@mantine/core'
import { newCell, newProperties } from '../api/new-cells.js'
import { plural } from '../parts/figures.js'
import { Icon } from '../parts/icons.js'
import type { Opened } from './board-dialogs.js'
import type { EditHistory } from './edit-history.js'
import type { Draft } from './editing.js'

export interface EditBarProps {
  readonly draft: Draft
  readonly history: EditHistory<Draft>
  readonly isSaving: boolean
  readonly onChange: (part: Partial<Draft>) => void
  readonly onUndo: () => void
  readonly onRedo: () => void
  readonly onDiscard: () => void
  readonly onSave: () => void
  readonly onOpen: (opened: Opened) => void
}

export function EditBar(props: EditBarProps) {
  const { draft, history, onChange, onOpen } = props
  const { past, future } = history
  const add = (kind: 'xy' | 'markdown') =>
    onOpen({ kind: 'edit', cell: newCell('', newProperties(kind), draft.cells), isNew: true })
  return (
    <div className="edit-bar" role="toolbar" aria-label="Edit">
      <Button size="xs" leftSection={<Icon name="plus" size={14} />} onClick={() => add('xy')}>
        Cell
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<Icon name="note" size={14} />}
        onClick={() => add('markdown')}
      >
        Note
      </Button>
      <Button size="xs" variant="default" onClick={() => onOpen({ kind: 'variables' })}>
        Variables
      </Button>
      <Step label="Undo" icon="undo" isOff={past.length === 0} onClick={props.onUndo} />
      <Step label="Redo" icon="redo" isOff={future.length === 0} onClick={props.onRedo} />
      <Typed label="Name" value={draft.name} onDone={(name) => name !== '' && onChange({ name })} />
      <Typed
        label="Description"
        value={draft.description}
        onDone={(description) => onChange({ description })}
      />
      <span className="grow" />
      <span className="small muted" role="status">
        {past.length === 0 ? 'No changes' : plural(past.length, 'change')}
      </span>
      <Button size="xs" variant="default" onClick={props.onDiscard}>
        {past.length === 0 ? 'Close' : 'Discard'}
      </Button>
      <Button
        size="xs"
        loading={props.isSaving}
        disabled={past.length === 0}
        title="Ctrl S"
        onClick={props.onSave}
      >
        Save
      </Button>
    </div>
  )
}

interface TypedProps {
  readonly label: string
  readonly value: string
  readonly onDone: (value: string) => void
}

/** One change for all that is typed until the field is left. */
function Typed({ label, value, onDone }: TypedProps) {
  return (
    <TextInput
      key={value}
      size="xs"
      w={label === 'Name' ? 140 : 180}
      aria-label={label}
      placeholder={label}
      defaultValue={value}
      onBlur={({ currentTarget }) => {
        const typed = currentTarget.value.trim()
        if (typed !== value) onDone(typed)
      }}
      onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
    />
  )
}

interface StepProps {
  readonly label: string
  readonly icon: 'undo' | 'redo'
  readonly isOff: boolean
  readonly onClick: () => void
}

function Step({ label, icon, isOff, onClick }: StepProps) {
  return (
    <ActionIcon
      variant="default"
      size="md"
      aria-label={label}
      title={label}
      disabled={isOff}
      onClick={onClick}
    >
      <Icon name={icon} size={14} />
    </ActionIcon>
  )
}

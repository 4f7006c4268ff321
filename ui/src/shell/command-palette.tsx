// Ctrl K: everything that can be gone to, by a part of its
// name. Arrow keys choose, Enter goes.

import { TextInput } from '@mantine/core'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { useBuckets } from '../api/buckets.js'
import { useDashboards } from '../api/dashboards.js'
import { isCluster } from '../api/variant.js'
import { Dialog } from '../parts/dialog.js'
import { Icon, type IconName } from '../parts/icons.js'
import { useHere } from './here.js'
import { places } from './places.js'

interface Command {
  readonly name: string
  readonly kind: string
  readonly icon: IconName
  readonly path: string
}

const shownMax = 12

export interface CommandPaletteProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function CommandPalette({ isOpen, onClose }: CommandPaletteProps) {
  return (
    <Dialog
      opened={isOpen}
      onClose={onClose}
      withCloseButton={false}
      size="md"
      padding={8}
      title="Go to"
    >
      {isOpen && <Commands onClose={onClose} />}
    </Dialog>
  )
}

function Commands({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const [, go] = useLocation()
  const found = useCommands().filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
  const shown = found.slice(0, shownMax)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text has another first entry
  useEffect(() => setChosen(0), [text])
  const open = (command: Command | undefined) => {
    if (command === undefined) return
    onClose()
    go(command.path)
  }
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Enter') open(shown[chosen])
    if (step === undefined) return
    event.preventDefault()
    setChosen((chosen + step + shown.length) % Math.max(shown.length, 1))
  }
  return (
    <>
      <TextInput
        aria-label="Go to a page, a dashboard or a bucket"
        placeholder="Go to a page, a dashboard or a bucket"
        data-autofocus
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={`palette-${chosen}`}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <div id="palette-list" role="listbox" aria-label="Found" className="palette">
        {shown.map((command, index) => (
          <div
            key={`${command.kind} ${command.path}`}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => open(command)}
            onKeyDown={onKey}
          >
            <Icon name={command.icon} /> <span>{command.name}</span>
            <span className="muted small">{command.kind}</span>
          </div>
        ))}
      </div>
      {found.length > shown.length && (
        <p className="muted small">
          {shown.length} of {found.length}
        </p>
      )}
    </>
  )
}

function useCommands(): readonly Command[] {
  const { org } = useHere()
  const { data: buckets = [] } = useBuckets(org.id)
  const { data: boards = [] } = useDashboards(org.id, !isCluster())
  return [
    ...places().map(({ name, icon, path }) => ({ name, icon, path, kind: 'page' })),
    ...boards.map(({ id, name }) => ({
      name,
      icon: 'dashboards' as const,
      path: `/dashboards/${id}`,
      kind: 'dashboard',
    })),
    ...buckets.map(({ name }) => ({
      name,
      icon: 'data' as const,
      path: `/explore?b=${encodeURIComponent(name)}`,
      kind: 'bucket',
    })),
  ]
}

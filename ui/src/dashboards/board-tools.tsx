// Right of a dashboard's name: range, refresh, edit, share,
// and what else can be done with it.

import { ActionIcon, Button, Menu, Select } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { createDashboard, type Dashboard } from '../api/dashboards.js'
import { CopyButton } from '../parts/copy-button.js'
import { DropDown } from '../parts/drop-down.js'
import { Icon } from '../parts/icons.js'
import { RangePicker } from '../parts/range-picker.js'
import { done, failed } from '../parts/toasts.js'
import { useMay } from '../shell/here.js'
import { saveTemplate } from '../shell/save-template.js'
import type { BoardState } from './board-state.js'
import { DeleteDashboard } from './delete-dashboard.js'

export interface BoardToolsProps {
  readonly state: BoardState
  readonly onChange: (part: Partial<BoardState>) => void
  readonly onRefresh: () => void
  readonly dashboard: Dashboard
  readonly isEditing: boolean
  readonly onEdit: () => void
  readonly onFullScreen: () => void
}

const refreshes = [
  { value: '0', label: 'No refresh' },
  { value: '5', label: 'Every 5 s' },
  { value: '10', label: 'Every 10 s' },
  { value: '30', label: 'Every 30 s' },
  { value: '60', label: 'Every minute' },
  { value: '300', label: 'Every 5 minutes' },
]

export function BoardTools(props: BoardToolsProps) {
  const { state, onChange, onRefresh, dashboard, isEditing, onEdit } = props
  const { isAllowed, lacking } = useMay('write', 'dashboards')
  const seconds = String(state.refreshSeconds)
  const known = refreshes.some(({ value }) => value === seconds)
  return (
    <>
      <RangePicker range={state.range} onChange={(range) => onChange({ range })} />
      <Select
        size="xs"
        w={130}
        aria-label="Refresh"
        data={known ? refreshes : [...refreshes, { value: seconds, label: `Every ${seconds} s` }]}
        value={seconds}
        onChange={(value) => onChange({ refreshSeconds: Number(value) })}
      />
      <ActionIcon
        variant="default"
        size="md"
        aria-label="Ask now"
        title="Ask now"
        onClick={onRefresh}
      >
        <Icon name="refresh" size={14} />
      </ActionIcon>
      {!isEditing && (
        <Button
          size="xs"
          title={lacking ?? 'd e'}
          data-disabled={!isAllowed || undefined}
          aria-disabled={!isAllowed}
          leftSection={<Icon name="edit" size={14} />}
          onClick={() => isAllowed && onEdit()}
        >
          Edit
        </Button>
      )}
      <CopyButton label="Share" text={() => location.href} />
      <MoreMenu dashboard={dashboard} isAllowed={isAllowed} onFullScreen={props.onFullScreen} />
    </>
  )
}

interface MoreMenuProps {
  readonly dashboard: Dashboard
  readonly isAllowed: boolean
  readonly onFullScreen: () => void
}

function MoreMenu({ dashboard, isAllowed, onFullScreen }: MoreMenuProps) {
  const { id, name } = dashboard
  const [isDeleting, setDeleting] = useState(false)
  const [, go] = useLocation()
  const clone = useClone()
  return (
    <>
      <DropDown
        position="bottom-end"
        button={
          <ActionIcon variant="default" size="md" aria-label="More">
            <Icon name="more" size={14} />
          </ActionIcon>
        }
      >
        <Menu.Item onClick={onFullScreen}>Full screen</Menu.Item>
        <Menu.Item onClick={() => void exportOne(id, name)}>Export as a template</Menu.Item>
        <Menu.Item disabled={!isAllowed} onClick={() => void clone(dashboard)}>
          Make a copy
        </Menu.Item>
        <Menu.Item disabled={!isAllowed} color="red" onClick={() => setDeleting(true)}>
          Delete…
        </Menu.Item>
      </DropDown>
      <DeleteDashboard
        dashboard={isDeleting ? dashboard : undefined}
        onClose={() => setDeleting(false)}
        onDone={() => go('/dashboards')}
      />
    </>
  )
}

export function exportOne(id: string, name: string): Promise<void> {
  return saveTemplate({ resources: [{ kind: 'Dashboard', id }] }, name)
}

function useClone() {
  const client = useQueryClient()
  const [, go] = useLocation()
  return async ({ orgID, name, description = '', cells }: Dashboard) => {
    try {
      const input = { name: `${name} copy`, description, cells }
      const made = await createDashboard(orgID, input)
      await client.invalidateQueries({ queryKey: ['dashboards'] })
      done(`${made.name} is made`)
      go(`/dashboards/${made.id}`)
    } catch (error) {
      failed(error, 'Copy')
    }
  }
}

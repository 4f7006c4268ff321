// The dashboards of an organization: found by a part of their names and by labels, made, imported, copied out,
// deleted. Templates may also be dropped on the window, anywhere.

import { Button, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { createDashboard, type Dashboard, type Label, useDashboards } from '../api/dashboards.js'
import { Dialog } from '../parts/dialog.js'
import { examples } from '../parts/examples.js'
import { agoText, countText, plural } from '../parts/figures.js'
import { Icon } from '../parts/icons.js'
import { Link } from '../parts/link.js'
import { Page } from '../parts/page.js'
import { Empty, Loaded } from '../parts/states.js'
import { useHere, useMay } from '../shell/here.js'
import { useTemplates } from '../shell/template-drop.js'
import { exportOne } from './board-tools.js'
import { DeleteDashboard } from './delete-dashboard.js'

export function DashboardsPage() {
  const { org } = useHere()
  const found = useDashboards(org.id)
  const [isMaking, setMaking] = useState(false)
  const { isAllowed, lacking } = useMay('write', 'dashboards')
  const templates = useTemplates()
  const make = (
    <Button
      size="xs"
      disabled={!isAllowed}
      title={lacking}
      leftSection={<Icon name="plus" size={14} />}
      onClick={() => setMaking(true)}
    >
      New dashboard
    </Button>
  )
  const take = (
    <Button
      size="xs"
      variant="default"
      leftSection={<Icon name="upload" size={14} />}
      onClick={templates.choose}
    >
      Import a template
    </Button>
  )
  return (
    <Page
      title="Dashboards"
      actions={
        <>
          {take}
          {make}
        </>
      }
    >
      <Loaded of={found} what="Dashboards">
        {(all) =>
          all.length === 0 ? (
            <Empty
              title="No dashboard yet"
              action={<div className="row">{make}</div>}
              example={examples.dashboard(org.id)}
            >
              A dashboard shows several queries side by side. Make one, or drop a template of
              InfluxDB on this window: its dashboards open as they were.
            </Empty>
          ) : (
            <DashboardList all={all} />
          )
        }
      </Loaded>
      <Dialog opened={isMaking} onClose={() => setMaking(false)} title="New dashboard">
        <NewDashboard />
      </Dialog>
    </Page>
  )
}

function DashboardList({ all }: { readonly all: readonly Dashboard[] }) {
  const [search, setSearch] = useState('')
  const [label, setLabel] = useState<string>()
  const [deleted, setDeleted] = useState<Dashboard>()
  const text = search.toLowerCase()
  const shown = all.filter(
    ({ name, description = '', labels }) =>
      `${name} ${description}`.toLowerCase().includes(text) &&
      (label === undefined || labels.some((one) => one.id === label)),
  )
  const labels = new Map(all.flatMap((one) => one.labels.map((worn) => [worn.id, worn] as const)))
  return (
    <>
      <div className="row">
        <TextInput
          aria-label="Find a dashboard"
          placeholder="Find a dashboard"
          w={260}
          leftSection={<Icon name="search" size={14} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <span className="small muted" role="status">
          {shown.length === all.length
            ? plural(all.length, 'dashboard')
            : `${countText(shown.length)} of ${countText(all.length)}`}
        </span>
        {[...labels.values()].map((one) => (
          <LabelChip
            key={one.id}
            label={one}
            isOn={label === one.id}
            onClick={() => setLabel(label === one.id ? undefined : one.id)}
          />
        ))}
      </div>
      <div className="table-scroll">
        <table className="plain-table">
          <thead>
            <tr>
              <th>Name</th>
              <th className="is-number">Cells</th>
              <th>Changed</th>
              <th>
                <span className="hidden-text">What can be done</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((one) => (
              <DashboardRow key={one.id} dashboard={one} onDelete={setDeleted} />
            ))}
          </tbody>
        </table>
      </div>
      <DeleteDashboard dashboard={deleted} onClose={() => setDeleted(undefined)} />
    </>
  )
}

interface DashboardRowProps {
  readonly dashboard: Dashboard
  readonly onDelete: (dashboard: Dashboard) => void
}

function DashboardRow({ dashboard, onDelete }: DashboardRowProps) {
  const { id, name, description = '', cells, labels, meta } = dashboard
  const { isAllowed } = useMay('write', 'dashboards')
  return (
    <tr>
      <td>
        <Link href={`/dashboards/${id}`} className="strong-link">
          {name === '' ? 'Without a name' : name}
        </Link>
        {description !== '' && <div className="muted small">{description}</div>}
        {labels.length > 0 && (
          <div className="row row-chips">
            {labels.map((label) => (
              <LabelChip key={label.id} label={label} />
            ))}
          </div>
        )}
      </td>
      <td className="is-number">{countText(cells.length)}</td>
      <td className="no-wrap">{agoText(meta.updatedAt)}</td>
      <td>
        <div className="row row-tight row-right">
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Export ${name}`}
            onClick={() => void exportOne(id, name)}
          >
            Export
          </Button>
          <Button
            size="compact-xs"
            variant="default"
            disabled={!isAllowed}
            aria-label={`Delete ${name}`}
            onClick={() => onDelete(dashboard)}
          >
            Delete
          </Button>
        </div>
      </td>
    </tr>
  )
}

interface LabelChipProps {
  readonly label: Label
  readonly isOn?: boolean
  readonly onClick?: () => void
}

function LabelChip({ label: { name, properties }, isOn, onClick }: LabelChipProps) {
  const colour = properties?.color ?? 'var(--edge)'
  const dot = (
    <svg aria-hidden="true" width="8" height="8">
      <circle cx="4" cy="4" r="4" fill={colour} />
    </svg>
  )
  if (onClick === undefined) {
    return (
      <span className="label">
        {dot} {name}
      </span>
    )
  }
  return (
    <button type="button" className="chip label" aria-pressed={isOn} onClick={onClick}>
      {dot} {name}
    </button>
  )
}

function NewDashboard() {
  const { org } = useHere()
  const client = useQueryClient()
  const [, go] = useLocation()
  const [problem, setProblem] = useState<string>()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const name = String(form.get('name')).trim()
    if (name === '') {
      setProblem('A name is needed.')
      return
    }
    try {
      const description = String(form.get('description')).trim()
      const made = await createDashboard(org.id, { name, description, cells: [] })
      void client.invalidateQueries({ queryKey: ['dashboards'] })
      go(`/dashboards/${made.id}`)
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  return (
    <form className="stack" onSubmit={submit}>
      <TextInput label="Name" name="name" data-autofocus error={problem} />
      <TextInput label="Description" name="description" />
      <Button type="submit">Make it</Button>
    </form>
  )
}

// A list of checks, rules or endpoints: each with its switch, how its last run went, changing and deleting. What else
// a row shows its list says.

import { Button, Switch } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import {
  type Check,
  definitionsMax,
  deleteDefinition,
  type Endpoint,
  type Kind,
  type Rule,
  switchDefinition,
} from '../api/alerts.js'
import { agoText } from '../parts/figures.js'
import { Mark } from '../parts/mark.js'
import { isFound, SearchBox } from '../parts/search-box.js'
import { Empty } from '../parts/states.js'
import { SureButton } from '../parts/sure-button.js'
import { useChange } from '../parts/use-change.js'

type Listed = Check | Rule | Endpoint

export interface DefinitionListProps<T extends Listed> {
  readonly kind: Exclude<Kind, 'silences'>
  readonly noun: string
  readonly list: readonly T[]
  readonly lacking: string | undefined
  readonly columns: readonly (readonly [name: string, cell: (one: T) => ReactNode])[]
  readonly name: (one: T) => ReactNode
  /** Beside the search. */
  readonly add: ReactNode
  /** Beside the button that deletes. */
  readonly actions?: (one: T) => ReactNode
  readonly onEdit?: (one: T) => void
  /** Endpoints do not run. */
  readonly hasRuns?: boolean
}

export function DefinitionList<T extends Listed>(props: DefinitionListProps<T>) {
  const { noun, list, columns, hasRuns = true } = props
  const [search, setSearch] = useState('')
  const shown = list.filter(({ name }) => isFound(search, name))
  return (
    <div className="stack">
      <div className="row">
        <SearchBox label={`Find a ${noun}`} value={search} onChange={setSearch} />
        {props.add}
      </div>
      {shown.length === 0 && <Empty title={`No ${noun} with this in its name`} />}
      {shown.length > 0 && (
        <div className="table-scroll">
          <table className="plain-table">
            <thead>
              <tr>
                <th>Name</th>
                {columns.map(([name]) => (
                  <th key={name}>{name}</th>
                ))}
                {hasRuns && <th>Last run</th>}
                <th>On</th>
                <th>
                  <span className="hidden-text">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((one) => (
                <Row key={one.id} {...props} one={one} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {list.length >= definitionsMax && <p className="muted small">The first {definitionsMax}.</p>}
    </div>
  )
}

function Row<T extends Listed>(props: DefinitionListProps<T> & { readonly one: T }) {
  const { kind, one, lacking, columns, name, actions, onEdit, hasRuns = true } = props
  const { change } = useChange(kind)
  const isOn = one.status === 'active'
  return (
    <tr>
      <td>
        {name(one)}
        {one.description !== undefined && <div className="muted small">{one.description}</div>}
      </td>
      {columns.map(([title, cell]) => (
        <td key={title}>{cell(one)}</td>
      ))}
      {hasRuns && (
        <td>
          <LastRun one={one} />
        </td>
      )}
      <td>
        <Switch
          aria-label={`${one.name} is on`}
          checked={isOn}
          disabled={lacking !== undefined}
          onChange={() =>
            change(
              () => switchDefinition(kind, one.id, isOn ? 'inactive' : 'active'),
              `${one.name} is ${isOn ? 'off' : 'on'}`,
            )
          }
        />
      </td>
      <td>
        <span className="row row-tight">
          {actions?.(one)}
          {onEdit !== undefined && (
            <Button
              size="compact-xs"
              variant="default"
              aria-label={`Change ${one.name}`}
              disabled={lacking !== undefined}
              onClick={() => onEdit(one)}
            >
              Change
            </Button>
          )}
          <SureButton
            label={`Delete ${one.name}`}
            isDisabled={lacking !== undefined}
            onSure={() => change(() => deleteDefinition(kind, one.id), `${one.name} is deleted`)}
          />
        </span>
      </td>
    </tr>
  )
}

function LastRun({ one }: { readonly one: Listed }) {
  const { lastRunStatus, lastRunError, latestCompleted } = one
  if (lastRunStatus === undefined) return <span className="muted">none yet</span>
  const isGood = lastRunStatus === 'success'
  return (
    <>
      <Mark tone={isGood ? 'good' : 'bad'}>{isGood ? 'done' : lastRunStatus}</Mark>{' '}
      {latestCompleted !== undefined && <span className="muted">{agoText(latestCompleted)}</span>}
      {!isGood && lastRunError !== undefined && (
        <div className="bad small clamp" title={lastRunError}>
          {lastRunError}
        </div>
      )}
    </>
  )
}

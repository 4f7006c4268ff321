// A list of one kind of settings: found by name, made and changed in a dialog, deleted after a second question. What a
// row shows and what the dialog asks its tab says.

import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { deleteSetting, type SettingKind } from '../api/settings.js'
import { Dialog } from '../parts/dialog.js'
import type { Example } from '../parts/examples.js'
import { MayButton } from '../parts/may-button.js'
import { isFound, SearchBox } from '../parts/search-box.js'
import { Empty, Loaded } from '../parts/states.js'
import { SureButton } from '../parts/sure-button.js'
import { useChange } from '../parts/use-change.js'
import { useHere } from '../shell/here.js'

interface Listed {
  readonly id: string
}

export interface SettingListProps<T extends Listed> {
  readonly kind: SettingKind
  readonly noun: string
  readonly found: {
    readonly data: readonly T[] | undefined
    readonly error: unknown
    readonly isPending: boolean
    refetch(): unknown
  }
  readonly lacking: string | undefined
  /** What it is for, where there is none. */
  readonly purpose: string
  readonly example?: Example
  readonly nameOf: (one: T) => string
  readonly columns: readonly (readonly [name: string, cell: (one: T) => ReactNode])[]
  /** Absent: there is nothing that could be changed. */
  readonly form: (one: T | undefined, onDone: () => void) => ReactNode
  readonly isChangeable?: boolean
  readonly isFixed?: (one: T) => boolean
}

export function SettingList<T extends Listed>(props: SettingListProps<T>) {
  const { kind, noun, found, lacking, purpose, nameOf, columns, form } = props
  const { change } = useChange(kind)
  const [search, setSearch] = useState('')
  const [edited, setEdited] = useState<T | 'new'>()
  const onDone = () => {
    setEdited(undefined)
    void change(() => Promise.resolve())
  }
  return (
    <div className="stack">
      <div className="row">
        <SearchBox label={`Find a ${noun}`} value={search} onChange={setSearch} />
        <MayButton lacking={lacking} icon="plus" onClick={() => setEdited('new')}>
          {`New ${noun}`}
        </MayButton>
      </div>
      <Loaded of={found} what={`${noun}s`}>
        {(all) => {
          const shown = all.filter((one) => isFound(search, nameOf(one)))
          if (all.length === 0) {
            return (
              <Empty
                title={`No ${noun} yet`}
                {...(props.example === undefined ? {} : { example: props.example })}
              >
                {purpose}
              </Empty>
            )
          }
          if (shown.length === 0) return <Empty title={`No ${noun} with this in its name`} />
          return (
            <div className="table-scroll">
              <table className="plain-table">
                <thead>
                  <tr>
                    <th>Name</th>
                    {columns.map(([name]) => (
                      <th key={name}>{name}</th>
                    ))}
                    <th>
                      <span className="hidden-text">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {shown.map((one) => (
                    <Row key={one.id} {...props} one={one} onEdit={() => setEdited(one)} />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }}
      </Loaded>
      <Dialog
        opened={edited !== undefined}
        onClose={() => setEdited(undefined)}
        title={edited === 'new' ? `New ${noun}` : `Change the ${noun}`}
        size="lg"
      >
        {edited !== undefined && form(edited === 'new' ? undefined : edited, onDone)}
      </Dialog>
    </div>
  )
}

interface RowProps<T extends Listed> extends SettingListProps<T> {
  readonly one: T
  readonly onEdit: () => void
}

function Row<T extends Listed>(props: RowProps<T>) {
  const { kind, one, lacking, columns, nameOf, onEdit, isChangeable = true, isFixed } = props
  const { org } = useHere()
  const { change } = useChange(kind)
  const name = nameOf(one)
  const isDisabled = lacking !== undefined || isFixed?.(one) === true
  return (
    <tr>
      <td>{name}</td>
      {columns.map(([title, cell]) => (
        <td key={title}>{cell(one)}</td>
      ))}
      <td>
        <span className="row row-tight row-right">
          {isChangeable && (
            <Button
              size="compact-xs"
              variant="default"
              aria-label={`Change ${name}`}
              disabled={isDisabled}
              onClick={onEdit}
            >
              Change
            </Button>
          )}
          <SureButton
            label={`Delete ${name}`}
            isDisabled={isDisabled}
            onSure={() => change(() => deleteSetting(kind, one.id, org.id), `${name} is deleted`)}
          />
        </span>
      </td>
    </tr>
  )
}

// All keys, as `?` shows them, and the switch for those of a single letter: who speaks to a computer
// presses them by accident.

import { Switch } from '@mantine/core'
import { useState } from 'react'
import { isCluster } from '../api/variant.js'
import { Dialog } from '../parts/dialog.js'
import { areSingleKeysOn, switchSingleKeys } from '../parts/keys.js'
import { places } from './places.js'

type Row = readonly [keys: string, what: string]

const everywhere: readonly Row[] = [
  ['Ctrl K', 'go to a page, a dashboard or a bucket'],
  ['Ctrl Enter', 'run the query'],
  ['Esc', 'stop the query, or close what is open'],
  ['Esc, Tab', 'leave the editor'],
  ['← →', 'on a chart: move the cursor'],
]

const single: readonly Row[] = [
  ['/', 'find in the schema'],
  ['v', 'a chart as a table, and back'],
  ['t ←', 'earlier'],
  ['t →', 'later'],
  ['t z', 'zoom out'],
  ['?', 'this list'],
]

const ofDashboards: readonly Row[] = [
  ['d e', 'edit the dashboard'],
  ['Ctrl S', 'save it'],
]

export function KeyHelp({ isOpen, onClose }: { readonly isOpen: boolean; onClose: () => void }) {
  const pages = places().map(({ key, name }): Row => [`g ${key}`, name])
  return (
    <Dialog opened={isOpen} onClose={onClose} title="Keys" size="lg">
      <div className="key-lists">
        <Keys list={[...everywhere, ...(isCluster() ? [] : ofDashboards)]} />
        <Keys list={[...pages, ...single]} />
      </div>
      {isOpen && <SingleKeys />}
    </Dialog>
  )
}

export function SingleKeys() {
  const [isOn, setOn] = useState(areSingleKeysOn)
  return (
    <Switch
      label="Keys of single letters"
      checked={isOn}
      onChange={(event) => {
        setOn(event.currentTarget.checked)
        switchSingleKeys(event.currentTarget.checked)
      }}
    />
  )
}

function Keys({ list }: { readonly list: readonly Row[] }) {
  return (
    <dl className="key-list">
      {list.map(([keys, what]) => (
        <div key={keys}>
          <dt>
            <kbd>{keys}</kbd>
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  )
}

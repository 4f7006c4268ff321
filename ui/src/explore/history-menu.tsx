// What can be asked again: queries that were written here and run, and scripts that the organization keeps. Choosing
// one puts its text into the editor, in its language.

import { Button, Menu } from '@mantine/core'
import { useState } from 'react'
import { useSettings } from '../api/settings.js'
import { isCluster } from '../api/variant.js'
import { DropDown } from '../parts/drop-down.js'
import { Icon } from '../parts/icons.js'
import { type Language, languages } from '../query/language.js'
import { useHere } from '../shell/here.js'
import { pastQueries } from './query-history.js'

export interface HistoryMenuProps {
  readonly onChoose: (chosen: { readonly language: Language; readonly text: string }) => void
}

export function HistoryMenu(props: HistoryMenuProps) {
  return (
    <DropDown
      position="bottom-end"
      width={360}
      maxHeight={400}
      button={
        <Button size="xs" variant="default" leftSection={<Icon name="history" size={14} />}>
          History
        </Button>
      }
    >
      <Entries {...props} />
    </DropDown>
  )
}

/** As they are when the menu opens. */
function Entries({ onChoose }: HistoryMenuProps) {
  const [list] = useState(pastQueries)
  return (
    <>
      {!isCluster() && <SavedScripts onChoose={onChoose} />}
      <Menu.Label>Run from this browser</Menu.Label>
      {list.length === 0 && (
        <Menu.Item disabled>Queries that you write and run come here.</Menu.Item>
      )}
      {list.map((past) => (
        <Menu.Item key={past.at} onClick={() => onChoose(past)}>
          <span className="small muted">{labelOf(past.language)}</span>
          <span className="history-text mono">{past.text.slice(0, 200)}</span>
        </Menu.Item>
      ))}
    </>
  )
}

function SavedScripts({ onChoose }: HistoryMenuProps) {
  const { org } = useHere()
  const { data: scripts = [] } = useSettings('scripts', org.id)
  if (scripts.length === 0) return null
  return (
    <>
      <Menu.Label>Saved scripts</Menu.Label>
      {scripts.map(({ id, name, language, script }) => (
        <Menu.Item key={id} onClick={() => onChoose({ language, text: script })}>
          <span className="small muted">{labelOf(language)}</span>
          <span className="history-text">{name}</span>
        </Menu.Item>
      ))}
      <Menu.Divider />
    </>
  )
}

function labelOf(language: Language): string {
  return languages.find(({ value }) => value === language)?.label ?? language
}

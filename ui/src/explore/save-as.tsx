// What a question of the explorer can become: a cell of a dashboard, a task, a check, a script. Tasks and checks
// have pages of their own, which open with its text; nothing is saved there before their button says so.

import { Button, Menu, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { saveSetting } from '../api/settings.js'
import { Dialog } from '../parts/dialog.js'
import { DropDown } from '../parts/drop-down.js'
import { Icon } from '../parts/icons.js'
import { useChange } from '../parts/use-change.js'
import { printModel } from '../query/print.js'
import { relativeText } from '../query/relative-text.js'
import { useHere, useMay } from '../shell/here.js'
import { SaveCell, type SaveCellProps } from './save-cell.js'

export function SaveAs(props: SaveCellProps) {
  const { question, bucket, model } = props
  const [, go] = useLocation()
  const [opened, setOpened] = useState<'cell' | 'script'>()
  const may = {
    cell: useMay('write', 'dashboards'),
    task: useMay('write', 'tasks'),
    check: useMay('write', 'checks'),
    script: useMay('write', 'functions'),
  }
  const close = () => setOpened(undefined)
  const goTo = (path: string, text: string) => {
    const language = question?.language ?? 'flux'
    go(`${path}?${new URLSearchParams({ l: language, b: bucket, q: text })}`)
  }
  // Checks ask in Flux: what the tree can show is translated.
  const flux =
    question?.language === 'flux'
      ? question.text
      : model && printModel({ ...model, bucket: model.bucket || bucket }, 'flux')
  return (
    <>
      <DropDown
        button={
          <Button
            size="xs"
            variant="default"
            disabled={question === undefined}
            rightSection={<Icon name="down" size={12} />}
          >
            Save as
          </Button>
        }
      >
        <Item may={may.cell} onClick={() => setOpened('cell')}>
          Cell of a dashboard
        </Item>
        <Item may={may.task} onClick={() => question && goTo('/tasks/new', relativeText(question))}>
          Task
        </Item>
        <Item
          may={may.check}
          hindrance={flux === undefined ? 'Checks ask in Flux.' : undefined}
          onClick={() => flux && goTo('/alerts/checks/new', flux)}
        >
          Check
        </Item>
        <Item may={may.script} onClick={() => setOpened('script')}>
          Script
        </Item>
      </DropDown>
      <Dialog opened={opened === 'cell'} onClose={close} title="Add to a dashboard">
        {question !== undefined && <SaveCell {...props} question={question} />}
      </Dialog>
      <Dialog opened={opened === 'script'} onClose={close} title="Save as a script">
        <ScriptForm {...props} onDone={close} />
      </Dialog>
    </>
  )
}

interface ItemProps {
  readonly may: { readonly isAllowed: boolean; readonly lacking: string | undefined }
  readonly hindrance?: string | undefined
  readonly onClick: () => void
  readonly children: string
}

function Item({ may, hindrance, onClick, children }: ItemProps) {
  const isDisabled = !may.isAllowed || hindrance !== undefined
  return (
    <Menu.Item disabled={isDisabled} title={may.lacking ?? hindrance} onClick={onClick}>
      {children}
    </Menu.Item>
  )
}

function ScriptForm({ question, onDone }: SaveCellProps & { readonly onDone: () => void }) {
  const { org } = useHere()
  const { change, isBusy } = useChange('scripts')
  const [name, setName] = useState('')
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (question === undefined) return
    const { language } = question
    const json = { orgID: org.id, name, description: '', language, script: relativeText(question) }
    if (await change(() => saveSetting('scripts', undefined, json), `${name} is saved`)) onDone()
  }
  return (
    <form className="stack" onSubmit={submit}>
      <TextInput
        label="Name"
        required
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <p className="muted small">
        Range and window go along as they are now, counted back from now.
      </p>
      <Button type="submit" loading={isBusy}>
        Save it
      </Button>
    </form>
  )
}

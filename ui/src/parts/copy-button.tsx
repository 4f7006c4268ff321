// Copies a text and says so. Where the page may not reach the clipboard (plain HTTP from another machine) the text is
// selected instead, so that Ctrl C does it.

import { Button, Tooltip } from '@mantine/core'
import { useState } from 'react'
import { Icon } from './icons.js'

export interface CopyButtonProps {
  readonly text: string | (() => string)
  readonly label?: string
}

export function CopyButton({ text, label = 'Copy' }: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'done' | 'failed'>('idle')
  const copy = async () => {
    const isDone = await copyText(typeof text === 'string' ? text : text())
    setState(isDone ? 'done' : 'failed')
    setTimeout(() => setState('idle'), 1500)
  }
  const said = { idle: label, done: 'Copied', failed: 'Press Ctrl C' }[state]
  return (
    <Tooltip label={said} disabled={state === 'idle'}>
      <Button
        size="xs"
        variant="default"
        leftSection={<Icon name={state === 'done' ? 'check' : 'copy'} size={14} />}
        onClick={copy}
      >
        {said}
      </Button>
    </Tooltip>
  )
}

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

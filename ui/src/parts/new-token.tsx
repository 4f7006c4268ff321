// The text of a token that was just made: shown once, to be copied, with a command that uses it. Whoever closes it has
// seen it for the last time.

import { Button } from '@mantine/core'
import { apiUrl, type Query } from '../api/http.js'
import { CopyButton } from './copy-button.js'

export interface NewTokenProps {
  readonly text: string
  /** Where the command writes to. */
  readonly target: Query
  readonly onClose: () => void
}

export function NewToken({ text, target, onClose }: NewTokenProps) {
  const url = apiUrl('api/v2/write', target)
  const line = 'room,room=kitchen temperature=21.5'
  const write = `curl -H "Authorization: Token $TOKEN" "${url}" --data-binary '${line}'`
  return (
    <div className="stack">
      <p>The token, shown only now:</p>
      <div className="code-block">
        <pre data-token>{text}</pre>
      </div>
      <div className="row">
        <CopyButton text={text} />
        <CopyButton text={write} label="Copy a command that writes" />
        <span className="grow" />
        <Button variant="default" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  )
}

// A new token: what it is for, and which buckets it may read and write. Its text is shown here, once; closing the
// dialog forgets it.

import { Button, Checkbox, Modal, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Permission } from '../api/accounts.js'
import { type Bucket, useBuckets } from '../api/buckets.js'
import { createToken } from '../api/tokens.js'
import { CopyButton } from '../parts/copy-button.js'
import { Failed, Loaded } from '../parts/states.js'
import { useHere } from '../shell/here.js'

export interface TokenFormProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onMade: () => void
}

export function TokenForm({ isOpen, onClose, onMade }: TokenFormProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="New token" size="lg">
      {isOpen && <TokenFields onMade={onMade} onClose={onClose} />}
    </Modal>
  )
}

type Action = Permission['action']

function TokenFields({ onMade, onClose }: Omit<TokenFormProps, 'isOpen'>) {
  const { org } = useHere()
  const buckets = useBuckets(org.id)
  const [description, setDescription] = useState('')
  /** As `read 0123…`. */
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [text, setText] = useState<string>()
  const [error, setError] = useState<unknown>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setError(undefined)
    const permissions = [...chosen].map((one): Permission => {
      const [action, id] = one.split(' ')
      return { action: action as Action, resource: { type: 'buckets', id, orgID: org.id } }
    })
    try {
      setText((await createToken(org.id, { description, permissions })).token)
      onMade()
    } catch (failure) {
      setError(failure)
    }
  }
  if (text !== undefined) return <Made text={text} onClose={onClose} />
  const toggle = (key: string) =>
    setChosen(
      chosen.has(key)
        ? new Set([...chosen].filter((one) => one !== key))
        : new Set([...chosen, key]),
    )
  return (
    <form onSubmit={submit} className="stack">
      <TextInput
        label="Description"
        placeholder="what uses it"
        data-autofocus
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
      <Loaded of={buckets} what="buckets">
        {(all) => <BucketRights buckets={all} chosen={chosen} onToggle={toggle} />}
      </Loaded>
      {error !== undefined && <Failed error={error} />}
      <Button type="submit" disabled={chosen.size === 0}>
        Make it
      </Button>
    </form>
  )
}

interface BucketRightsProps {
  readonly buckets: readonly Bucket[]
  readonly chosen: ReadonlySet<string>
  readonly onToggle: (key: string) => void
}

function BucketRights({ buckets, chosen, onToggle }: BucketRightsProps) {
  return (
    <table className="plain-table">
      <thead>
        <tr>
          <th>Bucket</th>
          <th>Read</th>
          <th>Write</th>
        </tr>
      </thead>
      <tbody>
        {buckets.map(({ id, name }) => (
          <tr key={id}>
            <td>{name}</td>
            {(['read', 'write'] as const).map((action) => (
              <td key={action}>
                <Checkbox
                  aria-label={`${action} ${name}`}
                  checked={chosen.has(`${action} ${id}`)}
                  onChange={() => onToggle(`${action} ${id}`)}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Made({ text, onClose }: { readonly text: string; readonly onClose: () => void }) {
  return (
    <div className="stack">
      <p>The token, shown only now:</p>
      <div className="code-block">
        <pre>{text}</pre>
      </div>
      <div className="row">
        <CopyButton text={text} />
        <span className="grow" />
        <Button variant="default" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  )
}

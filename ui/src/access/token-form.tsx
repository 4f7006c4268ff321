// A new token: what it is for, and what it may do: buckets one by one, kinds of resources as a whole, or everything of
// the organization. Its text is shown here, once; closing the dialog forgets it.

import { Button, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Permission } from '../api/accounts.js'
import { useBuckets } from '../api/buckets.js'
import { createToken } from '../api/tokens.js'
import { Dialog } from '../parts/dialog.js'
import { NewToken } from '../parts/new-token.js'
import { OneOf } from '../parts/one-of.js'
import { Failed, Loaded } from '../parts/states.js'
import { useHere } from '../shell/here.js'
import { RightsTable } from './rights-table.js'

export interface TokenFormProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onMade: () => void
}

export function TokenForm({ isOpen, onClose, onMade }: TokenFormProps) {
  return (
    <Dialog opened={isOpen} onClose={onClose} title="New token" size="lg">
      {isOpen && <TokenFields onMade={onMade} onClose={onClose} />}
    </Dialog>
  )
}

type Reach = 'buckets' | 'kinds' | 'everything'

const reaches = [
  { value: 'buckets', label: 'Buckets' },
  { value: 'kinds', label: 'By kind' },
  { value: 'everything', label: 'Everything' },
]

/** What an organization has; users and organizations themselves belong to the installation. */
const kinds = [
  'authorizations',
  'buckets',
  'dashboards',
  'tasks',
  'telegrafs',
  'variables',
  'scrapers',
  'secrets',
  'labels',
  'views',
  'documents',
  'notificationRules',
  'notificationEndpoints',
  'checks',
  'dbrp',
  'annotations',
  'sources',
  'functions',
]

function TokenFields({ onMade, onClose }: Omit<TokenFormProps, 'isOpen'>) {
  const { org } = useHere()
  const buckets = useBuckets(org.id)
  const [description, setDescription] = useState('')
  const [reach, setReach] = useState<Reach>('buckets')
  /** As `read 0123…`, or as `read tasks`. */
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [text, setText] = useState<string>()
  const [error, setError] = useState<unknown>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setError(undefined)
    try {
      const permissions = permissionsOf(reach, chosen, org.id)
      setText((await createToken(org.id, { description, permissions })).token)
      onMade()
    } catch (failure) {
      setError(failure)
    }
  }
  if (text !== undefined) {
    const target = { org: org.name, bucket: 'BUCKET' }
    return <NewToken text={text} target={target} onClose={onClose} />
  }
  return (
    <form onSubmit={submit} className="stack">
      <TextInput
        label="Description"
        placeholder="what uses it"
        data-autofocus
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
      <OneOf
        aria-label="What it reaches"
        data={reaches}
        value={reach}
        onChange={(value) => {
          setReach(value as Reach)
          setChosen(new Set())
        }}
      />
      {reach === 'buckets' && (
        <Loaded of={buckets} what="buckets">
          {(all) => <RightsTable title="Bucket" rows={all} chosen={chosen} onChange={setChosen} />}
        </Loaded>
      )}
      {reach === 'kinds' && (
        <RightsTable
          title="Kind"
          rows={kinds.map((kind) => ({ id: kind, name: kind }))}
          chosen={chosen}
          onChange={setChosen}
        />
      )}
      {reach === 'everything' && (
        <p className="warn">
          It may read and change everything in {org.name}, other tokens among it.
        </p>
      )}
      {error !== undefined && <Failed error={error} />}
      <Button type="submit" disabled={reach !== 'everything' && chosen.size === 0}>
        Make it
      </Button>
    </form>
  )
}

function permissionsOf(reach: Reach, chosen: ReadonlySet<string>, orgID: string): Permission[] {
  if (reach === 'everything') {
    return kinds.flatMap((type) =>
      (['read', 'write'] as const).map((action) => ({ action, resource: { type, orgID } })),
    )
  }
  return [...chosen].map((one) => {
    const [action, id] = one.split(' ')
    const resource = reach === 'buckets' ? { type: 'buckets', id, orgID } : { type: id, orgID }
    return { action: action as Permission['action'], resource }
  })
}

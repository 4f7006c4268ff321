// Who belongs to the organization: members see and use what is there, owners manage it too. Adding somebody means
// choosing one of the users there are, or making a new one.

import { Button, Select } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { addMember, type Member, removeMember, useMembers, useUsers } from '../api/users.js'
import { Dialog } from '../parts/dialog.js'
import { Mark } from '../parts/mark.js'
import { MayButton } from '../parts/may-button.js'
import { Loaded } from '../parts/states.js'
import { SureButton } from '../parts/sure-button.js'
import { useChange } from '../parts/use-change.js'
import { useHere, useMay } from '../shell/here.js'
import { UserForm } from './user-form.js'

export function MembersTab() {
  const { org, me } = useHere()
  const found = useMembers(org.id)
  const { lacking } = useMay('write', 'orgs')
  const users = useMay('write', 'users')
  const { change } = useChange('members', 'users')
  const [dialog, setDialog] = useState<'add' | 'new'>()
  const close = () => {
    setDialog(undefined)
    void change(() => Promise.resolve())
  }
  return (
    <div className="stack">
      <div className="row">
        <MayButton lacking={lacking} icon="plus" onClick={() => setDialog('add')}>
          Add somebody
        </MayButton>
        <MayButton
          lacking={lacking ?? users.lacking}
          variant="default"
          onClick={() => setDialog('new')}
        >
          New user
        </MayButton>
      </div>
      <Loaded of={found} what="members">
        {(list) => <Members list={list} lacking={lacking} ownId={me.id} />}
      </Loaded>
      <Dialog
        opened={dialog !== undefined}
        onClose={() => setDialog(undefined)}
        title={dialog === 'new' ? 'New user' : 'Add somebody'}
      >
        {dialog === 'new' && <UserForm onDone={close} />}
        {dialog === 'add' && <AddForm known={found.data ?? []} onDone={close} />}
      </Dialog>
    </div>
  )
}

interface MembersProps {
  readonly list: readonly Member[]
  readonly lacking: string | undefined
  readonly ownId: string
}

function Members({ list, lacking, ownId }: MembersProps) {
  const { org } = useHere()
  const { change } = useChange('members')
  const turn = (member: Member, role: Member['role']) =>
    change(
      async () => {
        // Nobody is both.
        await removeMember(org.id, member)
        await addMember(org.id, member.id, role)
      },
      `${member.name} is ${role === 'owner' ? 'an owner' : 'a member'}`,
    )
  return (
    <div className="table-scroll">
      <table className="plain-table">
        <thead>
          <tr>
            <th>Name</th>
            <th>Role</th>
            <th>State</th>
            <th>
              <span className="hidden-text">Remove</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.map((member) => (
            <tr key={`${member.role} ${member.id}`}>
              <td>
                {member.name} {member.id === ownId && <span className="muted">(you)</span>}
              </td>
              <td>
                <Select
                  aria-label={`Role of ${member.name}`}
                  size="xs"
                  w={110}
                  disabled={lacking !== undefined || member.id === ownId}
                  data={['member', 'owner']}
                  value={member.role}
                  onChange={(role) => turn(member, role as Member['role'])}
                />
              </td>
              <td>
                <Mark tone={member.status === 'active' ? 'good' : 'muted'}>
                  {member.status === 'active' ? 'active' : 'shut out'}
                </Mark>
              </td>
              <td>
                <SureButton
                  label={`Remove ${member.name}`}
                  text="Remove"
                  isDisabled={lacking !== undefined || member.id === ownId}
                  onSure={() =>
                    change(() => removeMember(org.id, member), `${member.name} is removed`)
                  }
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface AddFormProps {
  readonly known: readonly Member[]
  readonly onDone: () => void
}

function AddForm({ known, onDone }: AddFormProps) {
  const { org } = useHere()
  const { data: users = [] } = useUsers(true)
  const { change, isBusy } = useChange('members')
  const [userId, setUserId] = useState<string | null>(null)
  const [role, setRole] = useState<Member['role']>('member')
  const others = users.filter(({ id }) => !known.some((member) => member.id === id))
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (userId !== null && (await change(() => addMember(org.id, userId, role), 'Added'))) onDone()
  }
  return (
    <form onSubmit={submit} className="stack">
      <Select
        label="User"
        searchable
        data={others.map(({ id, name }) => ({ value: id, label: name }))}
        value={userId}
        nothingFoundMessage="Nobody else is there"
        onChange={setUserId}
      />
      <Select
        label="Role"
        data={['member', 'owner']}
        value={role}
        onChange={(value) => setRole(value as Member['role'])}
      />
      <Button type="submit" loading={isBusy} disabled={userId === null}>
        Add
      </Button>
    </form>
  )
}

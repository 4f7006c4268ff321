// All users of the installation, for those who manage it: shutting somebody out, giving a new password,
// deleting.

import { Button, PasswordInput, Switch } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { isOperator } from '../api/accounts.js'
import { deleteUser, setPassword, switchUser, type User, usersMax, useUsers } from '../api/users.js'
import { Dialog } from '../parts/dialog.js'
import { isFound, SearchBox } from '../parts/search-box.js'
import { Empty, Failed, Loaded } from '../parts/states.js'
import { SureButton } from '../parts/sure-button.js'
import { done } from '../parts/toasts.js'
import { useChange } from '../parts/use-change.js'
import { useHere } from '../shell/here.js'

export function UsersTab() {
  const { me } = useHere()
  const isAllowed = isOperator(me.permissions)
  const found = useUsers(isAllowed)
  const [search, setSearch] = useState('')
  if (!isAllowed) {
    return (
      <Empty title="Only for those who manage the installation">
        Members of your organization are under Members.
      </Empty>
    )
  }
  return (
    <div className="stack">
      <SearchBox label="Find a user" value={search} onChange={setSearch} />
      <Loaded of={found} what="users">
        {(all) => (
          <>
            <Users list={all.filter(({ name }) => isFound(search, name))} />
            {all.length >= usersMax && <p className="muted small">The first {usersMax} users.</p>}
          </>
        )}
      </Loaded>
    </div>
  )
}

function Users({ list }: { readonly list: readonly User[] }) {
  const { me } = useHere()
  const { change } = useChange('users', 'members')
  const [chosen, setChosen] = useState<User>()
  return (
    <div className="table-scroll">
      <table className="plain-table">
        <thead>
          <tr>
            <th>Name</th>
            <th>May sign in</th>
            <th>
              <span className="hidden-text">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.map((user) => {
            const isOwn = user.id === me.id
            const isOn = user.status === 'active'
            return (
              <tr key={user.id}>
                <td>
                  {user.name} {isOwn && <span className="muted">(you)</span>}
                </td>
                <td>
                  <Switch
                    aria-label={`${user.name} may sign in`}
                    checked={isOn}
                    disabled={isOwn}
                    onChange={() =>
                      change(
                        () => switchUser(user.id, isOn ? 'inactive' : 'active'),
                        `${user.name} may ${isOn ? 'not ' : ''}sign in`,
                      )
                    }
                  />
                </td>
                <td>
                  <span className="row row-tight row-right">
                    <Button
                      size="compact-xs"
                      variant="default"
                      disabled={isOwn}
                      title={isOwn ? 'Your own is under Settings.' : undefined}
                      aria-label={`Set the password of ${user.name}`}
                      onClick={() => setChosen(user)}
                    >
                      Set password
                    </Button>
                    <SureButton
                      label={`Delete ${user.name}`}
                      isDisabled={isOwn}
                      onSure={() => change(() => deleteUser(user.id), `${user.name} is deleted`)}
                    />
                  </span>
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
      <Dialog
        opened={chosen !== undefined}
        onClose={() => setChosen(undefined)}
        title={`Password of ${chosen?.name ?? ''}`}
      >
        {chosen !== undefined && <PasswordForm user={chosen} onDone={() => setChosen(undefined)} />}
      </Dialog>
    </div>
  )
}

interface PasswordFormProps {
  readonly user: User
  readonly onDone: () => void
}

function PasswordForm({ user, onDone }: PasswordFormProps) {
  const [password, setText] = useState('')
  const [error, setError] = useState<unknown>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setError(undefined)
    try {
      await setPassword(user.id, password)
      done(`${user.name} has a new password`)
      onDone()
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <form onSubmit={submit} className="stack">
      <PasswordInput
        label="New password"
        required
        data-autofocus
        autoComplete="new-password"
        value={password}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {error !== undefined && <Failed error={error} />}
      <Button type="submit">Set it</Button>
    </form>
  )
}

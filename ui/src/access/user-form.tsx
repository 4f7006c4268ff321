// A new user of the organization, with a first password that they
// can change themselves.

import { Button, PasswordInput, Select, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { createUser, type Member, setPassword, type User } from '../api/users.js'
import { Failed } from '../parts/states.js'
import { done } from '../parts/toasts.js'
import { useHere } from '../shell/here.js'

export function UserForm({ onDone }: { readonly onDone: () => void }) {
  const { org } = useHere()
  const [name, setName] = useState('')
  const [password, setText] = useState('')
  const [role, setRole] = useState<Member['role']>('member')
  /** Made already, where only the password was refused. */
  const [made, setMade] = useState<User>()
  const [error, setError] = useState<unknown>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setError(undefined)
    try {
      const user = made ?? (await createUser(name, org.id, role))
      setMade(user)
      await setPassword(user.id, password)
      done(`${name} can sign in`)
      onDone()
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <form onSubmit={submit} className="stack">
      <TextInput
        label="Name"
        required
        data-autofocus
        autoComplete="off"
        disabled={made !== undefined}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <PasswordInput
        label="First password"
        required
        autoComplete="new-password"
        value={password}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Select
        label={`Role in ${org.name}`}
        disabled={made !== undefined}
        data={['member', 'owner']}
        value={role}
        onChange={(value) => setRole(value as Member['role'])}
      />
      {error !== undefined && <Failed error={error} />}
      <Button type="submit">Make it</Button>
    </form>
  )
}

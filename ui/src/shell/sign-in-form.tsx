// Name and password, for the page at the start and for
// the overlay when a session has ended.

import { Button, PasswordInput, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { signIn } from '../api/accounts.js'

export interface SignInFormProps {
  readonly onDone: () => void
  readonly name?: string
}

export function SignInForm({ onDone, name = '' }: SignInFormProps) {
  const [username, setUsername] = useState(name)
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setProblem(undefined)
    try {
      await signIn(username, password)
      onDone()
    } catch (error) {
      const { status, message } = error as { status?: number; message: string }
      setProblem(status === 401 ? 'Name or password is wrong.' : message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form onSubmit={submit} className="stack">
      <TextInput
        label="Name"
        autoComplete="username"
        data-autofocus
        value={username}
        onChange={(event) => setUsername(event.currentTarget.value)}
      />
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        value={password}
        error={problem}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <Button type="submit" loading={isBusy}>
        Sign in
      </Button>
    </form>
  )
}

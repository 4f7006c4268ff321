// Signing in with a token, in the cluster variant: the service keeps it
// in a cookie that no script can read.

import { Button, PasswordInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { signInWithToken } from '../api/accounts.js'

export function TokenForm({ onDone }: { readonly onDone: () => void }) {
  const [token, setToken] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setProblem(undefined)
    try {
      await signInWithToken(token)
      onDone()
    } catch (error) {
      const { status, message } = error as { status?: number; message: string }
      setProblem(status === 401 ? 'No such token.' : message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form onSubmit={submit} className="stack">
      <PasswordInput
        label="Token"
        description="The admin token, or one for databases"
        autoComplete="current-password"
        data-autofocus
        value={token}
        error={problem}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the token' }}
        onChange={(event) => setToken(event.currentTarget.value)}
      />
      <Button type="submit" loading={isBusy} disabled={token.trim() === ''}>
        Sign in
      </Button>
    </form>
  )
}

// One's own settings: the password, which is changed with the old one, the theme, the time zone and the keys. The last
// three stay in this browser.

import { Button, PasswordInput, useMantineColorScheme } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { changePassword } from '../api/accounts.js'
import { OneOf } from '../parts/one-of.js'
import { Failed } from '../parts/states.js'
import { done } from '../parts/toasts.js'
import { chooseZone, type ZoneChoice, zoneChoice } from '../query/time-zone.js'
import { useHere } from '../shell/here.js'
import { SingleKeys } from '../shell/key-help.js'

export function ProfileTab() {
  const { me, org } = useHere()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <div className="stack narrow">
      <p>
        You are <strong>{me.name}</strong>, in the organization <strong>{org.name}</strong>.
      </p>
      <h2>Theme</h2>
      <OneOf
        aria-label="Theme"
        data={[
          { value: 'auto', label: 'As the system' },
          { value: 'light', label: 'Light' },
          { value: 'dark', label: 'Dark' },
        ]}
        value={colorScheme}
        onChange={(value) => setColorScheme(value as typeof colorScheme)}
      />
      <h2>Times</h2>
      <OneOf
        aria-label="Time zone"
        data={[
          { value: 'local', label: `Here (${ownZone()})` },
          { value: 'utc', label: 'UTC' },
        ]}
        value={zoneChoice()}
        onChange={(value) => chooseZone(value as ZoneChoice)}
      />
      <h2>Keys</h2>
      <SingleKeys />
      <h2>Password</h2>
      <PasswordForm name={me.name} />
    </div>
  )
}

function ownZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

function PasswordForm({ name }: { readonly name: string }) {
  const [old, setOld] = useState('')
  const [password, setPassword] = useState('')
  const [again, setAgain] = useState('')
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const differs = again !== '' && again !== password
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (password !== again) return
    setBusy(true)
    setError(undefined)
    try {
      await changePassword(name, old, password)
      done('Your password is changed')
      setOld('')
      setPassword('')
      setAgain('')
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  const field = (label: string, value: string, set: (value: string) => void, kind: string) => (
    <PasswordInput
      label={label}
      required
      autoComplete={kind}
      value={value}
      visibilityToggleButtonProps={{ 'aria-label': `Show: ${label}` }}
      onChange={(event) => set(event.currentTarget.value)}
    />
  )
  return (
    <form onSubmit={submit} className="stack">
      {field('Password until now', old, setOld, 'current-password')}
      <div className="fields-2">
        {field('New password', password, setPassword, 'new-password')}
        {field('Again', again, setAgain, 'new-password')}
      </div>
      {differs && <p className="bad">The two are not the same.</p>}
      {error !== undefined && <Failed error={error} what="Not changed" />}
      <div>
        <Button type="submit" loading={isBusy} disabled={differs}>
          Change it
        </Button>
      </div>
    </form>
  )
}

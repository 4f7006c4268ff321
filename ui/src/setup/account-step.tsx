// Step one: name, password, organization, first bucket and how long it
// keeps its points. Signs in with what was made.

import { Button, PasswordInput, Radio, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { type SetupResult, setUp, signIn } from '../api/accounts.js'
import { Failed } from '../parts/states.js'

const day = 86_400
const kept = [
  { value: String(30 * day), label: '30 days' },
  { value: String(365 * day), label: '1 year' },
  { value: '0', label: 'for ever' },
]
const passwordLengthMin = 8

export function AccountStep({ onMade }: { readonly onMade: (made: SetupResult) => void }) {
  const [input, setInput] = useState({ username: '', password: '', org: 'home', bucket: 'sensors' })
  const [seconds, setSeconds] = useState('0')
  const [isChecked, setChecked] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const problems = problemsOf(input)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (Object.keys(problems).length > 0) return
    setBusy(true)
    setError(undefined)
    try {
      const made = await setUp({ ...input, retentionPeriodSeconds: Number(seconds) })
      await signIn(input.username, input.password)
      onMade(made)
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  const field = (name: keyof typeof input) => ({
    value: input[name],
    error: isChecked ? problems[name] : undefined,
    onChange: (event: { currentTarget: { value: string } }) =>
      setInput({ ...input, [name]: event.currentTarget.value }),
  })
  return (
    <form onSubmit={submit} className="stack" noValidate>
      <h2>Set up</h2>
      <div className="fields-2">
        <TextInput label="Name" autoComplete="username" autoFocus {...field('username')} />
        <PasswordInput
          label="Password"
          description={`${passwordLengthMin} characters or more`}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
          {...field('password')}
        />
        <TextInput label="Organization" {...field('org')} />
        <TextInput label="Bucket, where points are kept" {...field('bucket')} />
      </div>
      <Radio.Group label="Keep data" value={seconds} onChange={setSeconds}>
        <div className="row row-wide">
          {kept.map(({ value, label }) => (
            <Radio key={value} value={value} label={label} />
          ))}
        </div>
      </Radio.Group>
      {error !== undefined && <Failed error={error} what="Set-up" />}
      <div>
        <Button type="submit" loading={isBusy}>
          Set up
        </Button>
      </div>
    </form>
  )
}

function problemsOf(input: Readonly<Record<'username' | 'password' | 'org' | 'bucket', string>>) {
  const problems: Partial<Record<keyof typeof input, string>> = {}
  for (const name of ['username', 'org', 'bucket'] as const) {
    if (input[name].trim() === '') problems[name] = 'A name is needed.'
  }
  if (input.password.length < passwordLengthMin) {
    problems.password = `The password needs ${passwordLengthMin} characters.`
  }
  return problems
}

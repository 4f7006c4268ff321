// The frame of a dialog that makes or changes a setting: sends it, says that it is saved, and shows what the service
// has against it.

import { Button } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Failed } from '../parts/states.js'
import { done } from '../parts/toasts.js'

export interface SettingFormProps {
  readonly name: string
  readonly isNew: boolean
  readonly save: () => Promise<void>
  readonly onDone: () => void
  readonly children: ReactNode
}

export function SettingForm({ name, isNew, save, onDone, children }: SettingFormProps) {
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      await save()
      done(`${name} is saved`)
      onDone()
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  return (
    <form onSubmit={submit} className="stack">
      {children}
      {error !== undefined && <Failed error={error} what="Not saved" />}
      <Button type="submit" loading={isBusy}>
        {isNew ? 'Make it' : 'Save'}
      </Button>
    </form>
  )
}

// Secrets: passwords and keys that scripts read by name. Their values go in and
// never come out.

import { Button, PasswordInput, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { deleteSecret, putSecret, useSecrets } from '../api/settings.js'
import { examples } from '../parts/examples.js'
import { Empty, Loaded } from '../parts/states.js'
import { SureButton } from '../parts/sure-button.js'
import { useChange } from '../parts/use-change.js'
import { useHere, useMay } from '../shell/here.js'

export function SecretsTab() {
  const { org } = useHere()
  const found = useSecrets(org.id)
  const { lacking } = useMay('write', 'secrets')
  const { change } = useChange('secrets')
  return (
    <div className="stack">
      <SecretForm lacking={lacking} />
      <Loaded of={found} what="secrets">
        {(keys) =>
          keys.length === 0 ? (
            <Empty title="No secret yet" example={examples.secret(org.id)}>
              Scripts read one with secrets.get(key: …), without its value standing in them.
            </Empty>
          ) : (
            <table className="plain-table narrow">
              <thead>
                <tr>
                  <th>Key</th>
                  <th>
                    <span className="hidden-text">Delete</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {keys.toSorted().map((key) => (
                  <tr key={key}>
                    <td className="mono">{key}</td>
                    <td>
                      <span className="row row-right">
                        <SureButton
                          label={`Delete ${key}`}
                          isDisabled={lacking !== undefined}
                          onSure={() => change(() => deleteSecret(org.id, key), `${key} is gone`)}
                        />
                      </span>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
    </div>
  )
}

function SecretForm({ lacking }: { readonly lacking: string | undefined }) {
  const { org } = useHere()
  const { change, isBusy } = useChange('secrets')
  const [key, setKey] = useState('')
  const [value, setValue] = useState('')
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!(await change(() => putSecret(org.id, key, value), `${key} is kept`))) return
    setKey('')
    setValue('')
  }
  return (
    <form onSubmit={submit} className="row row-end">
      <TextInput
        label="Key"
        required
        value={key}
        onChange={(event) => setKey(event.currentTarget.value)}
      />
      <PasswordInput
        label="Value"
        required
        autoComplete="off"
        miw={220}
        value={value}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the value' }}
        onChange={(event) => setValue(event.currentTarget.value)}
      />
      <Button type="submit" loading={isBusy} disabled={lacking !== undefined} title={lacking}>
        Keep it
      </Button>
    </form>
  )
}

// Organizations: each with buckets, members and dashboards of its own. Making one is for those who manage the
// installation; going to another is the menu's at the top.

import { Button, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { isOperator, useOrganizations } from '../api/accounts.js'
import { createOrganization } from '../api/users.js'
import { Loaded } from '../parts/states.js'
import { useChange } from '../parts/use-change.js'
import { useHere } from '../shell/here.js'

export function OrganizationsTab() {
  const { me, org } = useHere()
  const found = useOrganizations()
  const { change, isBusy } = useChange('orgs')
  const [name, setName] = useState('')
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (await change(() => createOrganization(name), `${name} is made`)) setName('')
  }
  return (
    <div className="stack">
      {isOperator(me.permissions) && (
        <form onSubmit={submit} className="row row-end">
          <TextInput
            label="Name"
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button type="submit" loading={isBusy}>
            New organization
          </Button>
        </form>
      )}
      <Loaded of={found} what="organizations">
        {(all) => (
          <table className="plain-table narrow">
            <thead>
              <tr>
                <th>Name</th>
                <th>Description</th>
              </tr>
            </thead>
            <tbody>
              {all.map(({ id, name: shown, description }) => (
                <tr key={id}>
                  <td>
                    {shown} {id === org.id && <span className="muted">(here)</span>}
                  </td>
                  <td>{description}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Loaded>
    </div>
  )
}

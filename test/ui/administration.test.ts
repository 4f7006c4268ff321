// Journeys of whoever manages: users who come in and are shut out, tokens of every reach, one's own password, and
// what an organization keeps beside its data. In a real browser against the real program.

import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  chromiumPath,
  expectAccessible,
  expectNoSidewaysScroll,
  isBuilt,
  newContext,
  picture,
  Watch,
} from './browser.js'
import { type SignedIn, signIn, startSignedIn } from './signed-in.js'

const isPossible = chromiumPath !== undefined && isBuilt

describe.skipIf(!isPossible)('the pages for managing', () => {
  let ui: SignedIn

  beforeAll(async () => {
    ui = await startSignedIn()
  }, 60_000)
  afterAll(() => ui?.close())
  afterEach(() => ui.watch.expectNothing())

  it('makes a user who can sign in, and sees what a member may not', async () => {
    const { page, context, program } = ui
    await page.getByRole('navigation').getByRole('link', { name: 'Access' }).click()
    await page.getByRole('tab', { name: 'Members' }).click()
    await page.getByRole('button', { name: 'New user' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('ann')
    await dialog.getByRole('textbox', { name: 'First password' }).fill('a first password')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Make it' }).click()
    await page.getByRole('row').filter({ hasText: 'ann' }).waitFor()
    await picture(page, 'access-members')
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)

    const other = await newContext(context.browser()!)
    const watch = new Watch(other, program.url)
    const hers = await other.newPage()
    hers.setDefaultTimeout(15_000)
    await signIn(hers, program.url, 'ann', 'a first password')
    await hers.goto(`${program.url}/tasks`)
    await hers.getByText('No task yet').waitFor()
    expect(await hers.getByRole('button', { name: 'New task' }).isDisabled()).toBe(true)
    await expectAccessible(hers)
    await hers.goto(`${program.url}/access/users`)
    await hers.getByText('Only for those who manage the installation').waitFor()
    watch.expectNothing()
    await other.close()
  })

  it('makes somebody an owner, gives a new password and shuts out', async () => {
    const { page, api, orgId } = ui
    await page.getByRole('combobox', { name: 'Role of ann' }).click()
    await page.getByRole('option', { name: 'owner' }).click()
    await page.getByText('ann is an owner').waitFor()
    const { users } = (await api(`orgs/${orgId}/owners`)) as { users: { name: string }[] }
    expect(users.map(({ name }) => name)).toContain('ann')
    await page.getByRole('tab', { name: 'Users' }).click()
    await page.getByRole('button', { name: 'Set the password of ann' }).click()
    await page
      .getByRole('dialog')
      .getByRole('textbox', { name: 'New password' })
      .fill('a second password')
    await page.getByRole('button', { name: 'Set it' }).click()
    await page.getByText('ann has a new password').waitFor()
    expect(await signsIn('ann', 'a second password')).toBe(204)
    await page.getByLabel('ann may sign in').press('Space')
    await page.getByText('ann may not sign in').waitFor()
    await picture(page, 'access-users')
    await expectAccessible(page)
    await expect.poll(() => signsIn('ann', 'a second password')).not.toBe(204)
    await page.getByRole('tab', { name: 'Organizations' }).click()
    await page.getByLabel('Name').fill('cellar club')
    await page.getByRole('button', { name: 'New organization' }).click()
    await page.getByText('cellar club', { exact: true }).waitFor()
    await picture(page, 'access-organizations')
    await expectAccessible(page)
  })

  it('makes tokens for kinds of resources and for everything', async () => {
    const { page, api } = ui
    await page.getByRole('tab', { name: 'Tokens' }).click()
    await page.getByRole('button', { name: 'New token' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Description').fill('for the scheduler')
    await dialog.getByText('By kind').click()
    await dialog.getByLabel('write tasks').check()
    await dialog.getByLabel('read all').check()
    await picture(page, 'access-kinds')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Make it' }).click()
    await dialog.locator('[data-token]').waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'New token' }).click()
    await dialog.getByLabel('Description').fill('for everything')
    await dialog.getByText('Everything', { exact: true }).click()
    await dialog.getByRole('button', { name: 'Make it' }).click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    const row = page.getByRole('row').filter({ hasText: 'for the scheduler' })
    await row.getByRole('button', { name: /read/ }).click()
    await row.getByText('read and write all tasks', { exact: true }).waitFor()
    await picture(page, 'access')
    await expectAccessible(page)
    const found = (await api('authorizations')) as { authorizations: { description: string }[] }
    expect(found.authorizations.map(({ description }) => description)).toContain('for everything')
  })

  it('changes its own password with the old one', async () => {
    const { page, watch } = ui
    watch.allow(403, 401)
    await page.getByRole('navigation').getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('textbox', { name: 'Password until now' }).fill('wrong')
    await page.getByRole('textbox', { name: 'New password' }).fill('a longer password')
    await page.getByRole('textbox', { name: 'Again' }).fill('a longer password')
    await page.getByRole('button', { name: 'Change it' }).click()
    await page.getByRole('alert').waitFor()
    await picture(page, 'settings')
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    await page.getByRole('textbox', { name: 'Password until now' }).fill('a long password')
    await page.getByRole('button', { name: 'Change it' }).click()
    await page.getByText('Your password is changed').waitFor()
    expect(await signsIn('me', 'a longer password')).toBe(204)
    // A new password ends what was begun with the old one.
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await page.getByRole('tab', { name: 'Variables' }).click()
    await Promise.race([dialog.waitFor(), page.getByText('No variable yet').waitFor()])
    if (await dialog.isVisible()) {
      await dialog.getByLabel('Password', { exact: true }).fill('a longer password')
      await dialog.getByRole('button', { name: 'Sign in' }).click()
    }
    await page.getByText('No variable yet').waitFor()
  })

  it('keeps variables, labels, secrets, scripts, databases and agents', async () => {
    const { page, api, orgId } = ui
    const dialog = page.getByRole('dialog')
    const make = async (noun: string) => {
      await page.getByRole('button', { name: `New ${noun}` }).click()
      await dialog.waitFor()
      await expectAccessible(page)
    }
    const saved = async (name: string) => {
      await dialog.getByRole('button', { name: 'Make it' }).click()
      await page.getByText(`${name} is saved`).first().waitFor()
      await expectAccessible(page)
    }
    await make('variable')
    await dialog.getByLabel('Name').fill('room')
    await dialog.getByLabel(/^Values/).fill('attic\nbath')
    await saved('room')
    await make('variable')
    await dialog.getByLabel('Name').fill('rooms')
    await dialog.getByRole('combobox', { name: 'Its values are a' }).click()
    await page.getByRole('option', { name: 'query in SQL' }).click()
    await dialog.getByLabel('Query').fill('SELECT DISTINCT room FROM room')
    await saved('rooms')
    await picture(page, 'settings-variables')
    const { variables } = (await api(`variables?orgID=${orgId}`)) as { variables: object[] }
    expect(variables).toMatchObject([
      { arguments: { type: 'constant', values: ['attic', 'bath'] } },
      { arguments: { values: { language: 'sql' } } },
    ])
    await page.getByRole('tab', { name: 'Labels' }).click()
    await make('label')
    await dialog.getByLabel('Name').fill('house')
    await saved('house')
    await page.getByRole('button', { name: 'Change house' }).click()
    await dialog.getByLabel('Description').fill('of the house')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('of the house').waitFor()
    await picture(page, 'settings-labels')
    await page.getByRole('tab', { name: 'Secrets' }).click()
    await page.getByRole('textbox', { name: 'Key' }).fill('mail-password')
    await page.getByRole('textbox', { name: 'Value' }).fill('s3cret')
    await page.getByRole('button', { name: 'Keep it' }).click()
    await page.getByText('mail-password', { exact: true }).waitFor()
    await picture(page, 'settings-secrets')
    await expectAccessible(page)
    await page.getByRole('tab', { name: 'Scripts' }).click()
    await make('script')
    await dialog.getByLabel('Name').fill('newest')
    await dialog.getByRole('textbox', { name: 'Script', exact: true }).focus()
    await page.keyboard.insertText('from(bucket: params.bucket) |> range(start: -1h) |> last()')
    await saved('newest')
    await picture(page, 'settings-scripts')
    await page.getByRole('tab', { name: 'Databases' }).click()
    await make('database')
    await dialog.getByRole('textbox', { name: 'Database' }).fill('old')
    await dialog.getByRole('combobox', { name: 'Bucket' }).click()
    await page.getByRole('option', { name: 'sensors' }).click()
    await saved('old')
    await picture(page, 'settings-databases')
    await page.getByRole('tab', { name: 'Telegraf' }).click()
    await make('configuration')
    await dialog.getByLabel('Name').fill('all machines')
    await saved('all machines')
    await picture(page, 'settings-telegraf')
    await expectNoSidewaysScroll(page)
    await page.getByRole('tab', { name: 'Labels' }).click()
    await page.getByRole('button', { name: 'Delete house' }).click()
    await page.getByRole('button', { name: 'Delete house: sure?' }).click()
    await page.getByText('No label yet').waitFor()
  })

  it('lists what a template has made, exports it, and takes it away together', async () => {
    const { page, api, orgId, program } = ui
    const contents = ['Label', 'Variable'].map((kind) => ({
      apiVersion: 'influxdata.com/v2alpha1',
      kind,
      metadata: { name: `garden-${kind.toLowerCase()}` },
      spec: kind === 'Label' ? {} : { type: 'constant', values: ['shed'] },
    }))
    await api('templates/apply', { orgID: orgId, template: { contents } })
    await page.goto(`${program.url}/settings/templates`)
    await page.getByRole('cell', { name: '1 label, 1 variable' }).waitFor()
    await picture(page, 'settings-templates')
    await expectAccessible(page)
    const file = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export garden-label' }).click()
    const text = await readFile(await (await file).path(), 'utf8')
    expect(text).toContain('kind: Label')
    expect(text).toContain('shed')
    const label = 'Take away what garden-label has made'
    await page.getByRole('button', { name: label }).click()
    await page.getByRole('button', { name: `${label}: sure?` }).click()
    await page.getByText('No template applied yet').waitFor()
    const { labels } = (await api(`labels?orgID=${orgId}`)) as { labels: { name: string }[] }
    expect(labels.map(({ name }) => name)).not.toContain('garden-label')
  })

  async function signsIn(name: string, password: string): Promise<number> {
    const headers = { authorization: `Basic ${btoa(`${name}:${password}`)}` }
    return (await fetch(`${ui.program.url}/api/v2/signin`, { method: 'POST', headers })).status
  }
})

// The journey of a task: written, tried, run, looked at, run for the past, switched off and deleted, in a real browser
// against the real program.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  chromiumPath,
  expectAccessible,
  expectNoSidewaysScroll,
  isBuilt,
  picture,
} from './browser.js'
import { type SignedIn, startSignedIn } from './signed-in.js'

const isPossible = chromiumPath !== undefined && isBuilt

describe.skipIf(!isPossible)('the pages of tasks', () => {
  let ui: SignedIn

  beforeAll(async () => {
    ui = await startSignedIn()
  }, 60_000)
  afterAll(() => ui?.close())
  afterEach(() => ui.watch.expectNothing())

  it('makes a task from the script that is offered, after a mistake was told', async () => {
    const { page, watch } = ui
    await page.getByRole('navigation').getByRole('link', { name: 'Tasks' }).click()
    await page.getByText('No task yet').waitFor()
    await picture(page, 'tasks-empty')
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Make the first one' }).click()
    const editor = page.getByLabel('Script')
    await editor.waitFor()
    const offered = (await editor.locator('.cm-line').allTextContents()).join('\n')
    watch.allow(400)
    await editor.focus()
    await editor.press('Control+a')
    await editor.press('Delete')
    await page.keyboard.insertText('option task = {name: "x"}')
    await page.getByRole('button', { name: 'Make it' }).click()
    await page
      .getByRole('alert')
      .getByText(/every|cron/)
      .waitFor()
    await editor.press('Control+a')
    await editor.press('Delete')
    await page.keyboard.insertText(offered)
    await page.getByText('Writes to sensors').waitFor()
    await picture(page, 'task-new')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Make it' }).click()
    await page.getByRole('heading', { name: 'hourly means' }).waitFor()
  })

  it('tries it, runs it, and shows how the run went', async () => {
    const { page } = ui
    await page.getByRole('button', { name: 'Try' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/it would write \d+ points/).waitFor()
    await dialog
      .getByText(/room_5m,room=attic/)
      .first()
      .waitFor()
    await picture(page, 'task-trial')
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Run now' }).click()
    await page.getByRole('tab', { name: 'Runs', selected: true }).waitFor()
    await page.getByText('done', { exact: true }).waitFor()
    await page.getByRole('button', { name: /^Log of/ }).click()
    await picture(page, 'task-runs')
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
  })

  it('runs it for the past and tells how far that has come', async () => {
    const { page } = ui
    await page.getByRole('tab', { name: 'Backfill' }).click()
    const hour = 3_600_000
    const full = Math.floor(Date.now() / hour) * hour
    await page.getByLabel('From').fill(local(full - 4 * hour))
    await page.getByLabel('Before').fill(local(full))
    await page.getByRole('button', { name: 'How many runs?' }).click()
    await page.getByText(/^4 runs,/).waitFor()
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('4 of 4 runs done').waitFor({ timeout: 40_000 })
    await picture(page, 'task-backfill')
    await expectAccessible(page)
  })

  it('lists tasks with their last and next run, switches one off and deletes it', async () => {
    const { page, api, orgId } = ui
    await api('tasks', {
      orgID: orgId,
      flux: 'option task = {name: "cleanup", cron: "0 2 * * *"}\nfrom(bucket: "b") |> range(start: -1h)',
    })
    await page.getByRole('link', { name: 'All tasks' }).click()
    const row = page.getByRole('row').filter({ hasText: 'hourly means' })
    // Five minutes past each hour: a minute before that it says seconds.
    await row.getByText(/^(in \d+ (second|minute|hour)s?|now$)/).waitFor()
    await page.getByRole('row').filter({ hasText: 'cleanup' }).getByText('0 2 * * *').waitFor()
    await picture(page, 'tasks')
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    await page.getByLabel('hourly means is on').press('Space')
    await page.getByText('hourly means is off').waitFor()
    await page.getByRole('button', { name: 'Delete cleanup' }).click()
    await page.getByRole('button', { name: 'Delete cleanup: sure?' }).click()
    await page.getByText('cleanup is deleted').waitFor()
    const { tasks } = (await api(`tasks?orgID=${orgId}`)) as { tasks: object[] }
    expect(tasks).toMatchObject([{ name: 'hourly means', status: 'inactive' }])
  })

  it('makes a task in SQL with a name, a schedule and a target beside it', async () => {
    const { page, api, orgId } = ui
    await page.getByRole('button', { name: 'New task' }).click()
    await page
      .getByRole('radiogroup', { name: 'Language' })
      .getByText('SQL', { exact: true })
      .click()
    await page.getByLabel('Name').fill('highest')
    await page.getByRole('combobox', { name: 'Reads from' }).click()
    await page.getByRole('option', { name: 'sensors' }).click()
    await page.getByRole('combobox', { name: 'Writes to' }).click()
    await page.getByRole('option', { name: 'sensors' }).last().click()
    await page.getByLabel('as measurement').fill('highest')
    await picture(page, 'task-sql')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Make it' }).click()
    await page.getByRole('heading', { name: 'highest' }).waitFor()
    const { tasks } = (await api(`tasks?orgID=${orgId}&name=highest`)) as { tasks: object[] }
    expect(tasks).toMatchObject([{ language: 'sql', every: '1h', targetMeasurement: 'highest' }])
  })
})

/** As a field for date and time wants it. */
function local(ms: number): string {
  const at = new Date(ms)
  return new Date(ms - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

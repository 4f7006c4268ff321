// The web UI of the cluster variant in a real browser: signing in with a token, databases, tokens that work and end,
// the same question in InfluxQL and SQL, what runs; and with a token that may only read one database.

import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  chromiumPath,
  expectAccessible,
  expectNoSidewaysScroll,
  isBuilt,
  newContext,
  type Program,
  picture,
  startBrowser,
  startProgram,
  startTimeoutMs,
  Watch,
} from './browser.js'

const isPossible = chromiumPath !== undefined && isBuilt
const adminToken = 'the-admin-token-of-this-test'

describe.skipIf(!isPossible)('the web UI of a cluster', () => {
  let program: Program
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let watch: Watch
  let reader: string

  beforeAll(async () => {
    const args = ['--variant', 'cluster', '--admin-token', adminToken]
    ;[program, browser] = await Promise.all([startProgram(args), startBrowser()])
    context = await newContext(browser)
    watch = new Watch(context, program.url)
    page = await context.newPage()
    page.setDefaultTimeout(15_000)
  }, startTimeoutMs)

  afterAll(async () => {
    await browser?.close()
    await program?.stop()
  })

  afterEach(() => watch.expectNothing())

  const go = (name: string) =>
    page.getByRole('navigation').getByRole('link', { name, exact: true }).click()

  it('signs in with the admin token and makes a database', async () => {
    watch.allow(401)
    await page.goto(program.url)
    await page.getByLabel('Token', { exact: true }).fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('No such token.').waitFor()
    await picture(page, 'cluster-sign-in')
    await expectAccessible(page)
    await page.getByLabel('Token', { exact: true }).fill(adminToken)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Explore' }).waitFor()
    // No script sees what the cookie holds.
    expect(await page.evaluate('document.cookie + JSON.stringify(localStorage)')).not.toContain(
      adminToken,
    )
    await go('Databases')
    await page.getByText('No database yet').waitFor()
    await page.getByRole('button', { name: 'New database' }).click()
    await page.getByLabel('Name').fill('metrics')
    await page.getByRole('button', { name: 'Make it' }).click()
    await page.getByRole('link', { name: 'metrics' }).waitFor()
    await picture(page, 'cluster-databases')
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
  })

  it('makes a token that writes, and one that reads', async () => {
    await go('Tokens')
    const make = async (name: string, action: string) => {
      await page.getByRole('button', { name: 'New token' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill(name)
      if (action === 'write') await dialog.getByLabel('write').check()
      await expectAccessible(page)
      await dialog.getByRole('button', { name: 'Make it' }).click()
      const token = (await dialog.locator('pre').textContent()) ?? ''
      await dialog.getByRole('button', { name: 'Done' }).click()
      return token
    }
    const writer = await make('collector', 'write')
    reader = await make('viewer', 'read')
    const write = (token: string) =>
      fetch(`${program.url}/api/v2/write?bucket=metrics`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: lines(),
      })
    expect((await write(reader)).status).toBe(401)
    expect((await write(writer)).status).toBe(204)
    await page.getByRole('button', { name: 'Revoke collector' }).click()
    await page.getByRole('button', { name: 'Revoke collector: sure?' }).click()
    await page.getByText('collector is revoked').waitFor()
    await page.getByText(/^revoked /).waitFor()
    expect((await write(writer)).status).toBe(401)
    const used = (name: string) => page.getByRole('row', { name }).getByText('just now').count()
    expect([await used('collector'), await used('viewer')]).toEqual([1, 1])
    await picture(page, 'cluster-tokens')
    await expectAccessible(page)
  })

  it('asks the same in InfluxQL and SQL', async () => {
    await page.goto(`${program.url}/explore?b=metrics&r=6h`)
    const language = page.getByRole('radiogroup', { name: 'Language' })
    await language.getByText('SQL', { exact: true }).waitFor()
    expect(await language.getByText('Flux', { exact: true }).count()).toBe(0)
    await page.getByRole('button', { name: /^cpu \d+ series$/ }).click()
    const told: string[] = []
    for (const name of ['InfluxQL', 'SQL']) {
      await language.getByText(name, { exact: true }).click()
      await page.waitForURL(new RegExp(`l=${name.toLowerCase()}`))
      const chart = page.getByRole('img', { name: /^2 series/ })
      await chart.waitFor()
      told.push(((await chart.getAttribute('aria-label')) ?? '').replace(/ at .*/, ''))
    }
    expect(new Set(told).size).toBe(1)
    await picture(page, 'cluster-explore')
    await expectAccessible(page)
  })

  it('shows status, and only what a token for databases may', async () => {
    await go('Status')
    await page.getByText('ready for queries and writes').waitFor()
    await picture(page, 'cluster-status')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'User admin' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('Token', { exact: true }).fill(reader)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Status' }).waitFor()
    await go('Databases')
    await page.getByRole('link', { name: 'metrics' }).waitFor()
    expect(await page.getByRole('button', { name: 'New database' }).isDisabled()).toBe(true)
    await go('Tokens')
    await page.getByText('Tokens are managed with the admin token').waitFor()
    await picture(page, 'cluster-no-admin')
    await expectAccessible(page)
  })
})

/** Two hosts, a point a minute, for three hours. */
function lines(): string {
  const end = Math.floor(Date.now() / 60_000) * 60_000
  return Array.from({ length: 360 }, (_, i) => {
    const at = `${end - (i >> 1) * 60_000}000000`
    return `cpu,host=host_${i & 1} usage=${(50 + 20 * Math.sin(i / 40 + (i & 1))).toFixed(2)} ${at}`
  }).join('\n')
}

// A browser that is signed in to a program with some points in it: where journeys begin that are not
// about the beginning.

import type { Browser, BrowserContext, Page } from 'playwright-core'
import { newContext, type Program, startBrowser, startProgram, Watch } from './browser.js'

export interface SignedIn {
  readonly program: Program
  readonly context: BrowserContext
  readonly page: Page
  readonly watch: Watch
  readonly token: string
  readonly orgId: string
  readonly bucketId: string
  /** Asks the program itself, as its operator; the answer as JSON where there is one. */
  api(path: string, json?: unknown, method?: string): Promise<unknown>
  write(lines: string): Promise<void>
  close(): Promise<void>
}

const name = 'me'
const password = 'a long password'

export async function startSignedIn(args: readonly string[] = []): Promise<SignedIn> {
  const program = await startProgram(args)
  const { url } = program
  const setup = { username: name, password, org: 'home', bucket: 'sensors' }
  const { auth, org, bucket } = (await (
    await fetch(`${url}/api/v2/setup`, { method: 'POST', body: JSON.stringify(setup) })
  ).json()) as { auth: { token: string }; org: { id: string }; bucket: { id: string } }
  const headers = { authorization: `Token ${auth.token}` }
  const write = async (lines: string) => {
    const path = `${url}/api/v2/write?orgID=${org.id}&bucket=sensors`
    const { ok } = await fetch(path, { method: 'POST', headers, body: lines })
    if (!ok) throw new Error('points could not be written')
  }
  await write(rooms())
  const browser: Browser = await startBrowser()
  const context = await newContext(browser)
  const watch = new Watch(context, url)
  const page = await context.newPage()
  // The trial of a check runs thirteen times: 5 s on a quiet machine, more than 15 beside other work.
  page.setDefaultTimeout(60_000)
  await signIn(page, url)
  return {
    ...{ program, context, page, watch, token: auth.token, orgId: org.id, bucketId: bucket.id },
    async api(path, json, method = json === undefined ? 'GET' : 'POST') {
      const body = json === undefined ? {} : { body: JSON.stringify(json) }
      const response = await fetch(`${url}/api/v2/${path}`, { method, headers, ...body })
      const text = await response.text()
      if (!response.ok) throw new Error(`${path}: ${text}`)
      return text === '' ? undefined : JSON.parse(text)
    },
    write,
    async close() {
      await browser.close()
      await program.stop()
    },
  }
}

export async function signIn(page: Page, url: string, user = name, secret = password) {
  await page.goto(url)
  await page.getByLabel('Name').fill(user)
  await page.getByLabel('Password', { exact: true }).fill(secret)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Explore' }).waitFor()
}

/** Four rooms, a point a minute, for the last six hours. */
function rooms(): string {
  const minute = 60_000
  const end = Math.floor(Date.now() / minute) * minute
  const lines: string[] = []
  for (let i = 0; i < 360; i++) {
    for (const [index, room] of ['attic', 'bath', 'cellar', 'kitchen'].entries()) {
      const temperature = (18 + index * 1.5 + 2 * Math.sin(i / 50 + index)).toFixed(2)
      const humidity = (50 + index * 3 + 5 * Math.cos(i / 40)).toFixed(1)
      const at = `${end - i * minute}000000`
      lines.push(`room,room=${room} temperature=${temperature},humidity=${humidity} ${at}`)
    }
  }
  return lines.join('\n')
}

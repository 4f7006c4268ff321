// Every page of both variants as a screen reader gets it, with something on it: the trees of roles and names in
// `trees/`. The programs do what is asked of them and nothing by itself, so that lists are the same each time.

import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  chromiumPath,
  expectAccessible,
  isBuilt,
  newContext,
  type Program,
  startBrowser,
  startProgram,
  Watch,
} from './browser.js'
import { type SignedIn, startSignedIn } from './signed-in.js'
import { expectTree } from './trees.js'

const isPossible = chromiumPath !== undefined && isBuilt
const startMs = 120_000

describe.skipIf(!isPossible)('pages of the managed variant', () => {
  let ui: SignedIn
  let paths: Readonly<Record<string, string>> = {}

  beforeAll(async () => {
    ui = await startSignedIn()
    paths = await fill(ui)
  }, startMs)
  afterAll(() => ui?.close())
  afterEach(() => ui.watch.expectNothing())

  it.each([
    // First: it lists what was asked since the start.
    ['status', '/status'],
    ['explore', '/explore'],
    ['dashboards', '/dashboards'],
    ['dashboard', 'dashboard'],
    ['alerts-now', '/alerts/now'],
    ['alerts-history', '/alerts/history'],
    ['alerts-checks', '/alerts/checks'],
    ['alerts-rules', '/alerts/rules'],
    ['alerts-endpoints', '/alerts/endpoints'],
    ['alerts-silences', '/alerts/silences'],
    ['alerts-check', 'check'],
    ['tasks', '/tasks'],
    ['task-new', '/tasks/new'],
    ['task-script', 'script'],
    ['task-runs', 'runs'],
    ['bucket-schema', 'schema'],
    ['bucket-live', 'live'],
    ['bucket-write', 'write'],
    ['bucket-import', 'import'],
    ['bucket-delete', 'delete'],
    ['bucket-settings', 'settings'],
    ['access-tokens', '/access/tokens'],
    ['access-members', '/access/members'],
    ['access-users', '/access/users'],
    ['access-organizations', '/access/organizations'],
    ['settings-profile', '/settings/profile'],
    ['settings-variables', '/settings/variables'],
    ['settings-labels', '/settings/labels'],
    ['settings-secrets', '/settings/secrets'],
    ['settings-templates', '/settings/templates'],
    ['settings-scripts', '/settings/scripts'],
    ['settings-databases', '/settings/databases'],
    ['settings-telegraf', '/settings/telegraf'],
  ])('%s', async (name, path) => {
    const { page, program } = ui
    await walkTo(page, program.url + (paths[path] ?? path))
    await expectTree(page.getByRole('main'), name)
  })

  it('what stands around every page', async () => {
    await walkTo(ui.page, `${ui.program.url}/settings/profile`)
    await expectTree(ui.page.getByRole('navigation'), 'navigation')
    await expectTree(ui.page.getByRole('banner'), 'banner')
  })

  it('has heading and frame of each page before its code has come', async () => {
    const { page, program } = ui
    const held = await hold(page, /\/assets\/[a-z]+-page-/)
    await page.goto(`${program.url}/nowhere`)
    for (const [path, heading] of Object.entries(headings)) {
      await walkTo(page, program.url + path)
      await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
      await page
        .getByRole('main')
        .getByRole('status', { name: 'Loading' })
        .waitFor({ state: 'attached' })
    }
    await expectAccessible(page)
    await held.release()
    await page.getByRole('main').getByRole('tab', { name: 'Profile' }).waitFor()
  })

  it('moves nothing when what the explorer shows comes', async () => {
    const { page, program } = ui
    const held = await hold(page, /\/api\/v2\/buckets\?/)
    await page.goto(`${program.url}/explore?b=sensors`)
    await page.getByRole('heading', { name: 'Explore' }).waitFor()
    await page.locator('.bone').first().waitFor({ state: 'attached' })
    const before = await page.evaluate(places)
    await held.release()
    await page.locator('.tree-item').first().waitFor({ state: 'attached' })
    expect(await page.evaluate(places)).toEqual(before)
  })
})

/** A path of each page, and what it is called before more is known. */
const headings = {
  '/explore': 'Explore',
  '/dashboards': 'Dashboards',
  '/dashboards/1': 'Dashboard',
  '/alerts': 'Alerts',
  '/alerts/checks/1': 'Check',
  '/tasks': 'Tasks',
  '/tasks/new': 'New task',
  '/tasks/1/script': 'Task',
  '/data': 'Data',
  '/data/1/schema': 'Bucket',
  '/access': 'Access',
  '/status': 'Status',
  '/settings': 'Settings',
}

/** Heading, tree, editor. Widths of texts are left out: they are those of the fonts that are there. */
const places = `['h1', '.explore-side', '.explore-side > :last-child', '.editor'].map((each) => {
  const { x, y } = document.querySelector(each).getBoundingClientRect()
  return [each, Math.round(x), Math.round(y)].join(' ')
})`

/** Requests to there are not answered until they are let go. */
async function hold(page: Page, where: RegExp): Promise<{ release(): Promise<void> }> {
  let letGo = () => {}
  const isLetGo = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const answers: Promise<void>[] = []
  const onRoute = (route: Route) => {
    answers.push(isLetGo.then(() => route.continue()))
  }
  await page.route(where, onRoute)
  const release = async () => {
    letGo()
    await Promise.all(answers)
    await page.unroute(where, onRoute)
  }
  return { release }
}

/** As a link within the page does it: loading all of the program for each page would take most of the time. */
async function walkTo(page: Page, url: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(url)})`)
  await page.waitForURL(url)
}

/** Something for each list; the paths of what was made. */
async function fill({ api, orgId, bucketId }: SignedIn): Promise<Record<string, string>> {
  const made = async (path: string, body: object) =>
    ((await api(path, { orgID: orgId, ...body })) as { id: string }).id
  const dashboard = await made('dashboards', { name: 'House', description: 'every room' })
  const note = { shape: 'chronograf-v2', type: 'markdown', note: '# Rooms' }
  const cell = await made(`dashboards/${dashboard}/cells`, { x: 0, y: 0, w: 4, h: 3 })
  await api(
    `dashboards/${dashboard}/cells/${cell}/view`,
    { name: 'Note', properties: note },
    'PATCH',
  )
  const task = await made('tasks', {
    status: 'inactive',
    flux: 'option task = {name: "hourly", every: 1h}\nfrom(bucket: "sensors") |> range(start: -1h) |> last()',
  })
  const check = await made('checks', {
    name: 'warm',
    type: 'threshold',
    status: 'inactive',
    every: '1m',
    query: {
      text: 'from(bucket: "sensors") |> range(start: -1h) |> filter(fn: (r) => r._field == "temperature")',
    },
    statusMessageTemplate: 'warm',
    thresholds: [{ type: 'greater', level: 'CRIT', value: 90 }],
  })
  const endpoint = {
    name: 'hook',
    type: 'http',
    status: 'inactive',
    url: 'http://127.0.0.1:9/',
    method: 'POST',
    authMethod: 'none',
  }
  const endpointID = await made('notificationEndpoints', endpoint)
  await made('notificationRules', {
    name: 'tell',
    type: 'http',
    status: 'inactive',
    every: '1m',
    endpointID,
    statusRules: [{ currentLevel: 'CRIT' }],
    tagRules: [],
  })
  const values = { type: 'constant', values: ['attic', 'bath'] }
  await made('variables', { name: 'room', arguments: values })
  await made('labels', { name: 'house', properties: { color: '#4d89fa' } })
  await api(`orgs/${orgId}/secrets`, { key: 'no one knows' }, 'PATCH')
  await made('scripts', {
    name: 'newest',
    description: 'the newest points',
    script: 'from(bucket: "sensors") |> range(start: -1h) |> last()',
    language: 'flux',
  })
  const bucket = `/data/${bucketId}`
  return {
    dashboard: `/dashboards/${dashboard}`,
    check: `/alerts/checks/${check}`,
    script: `/tasks/${task}/script`,
    runs: `/tasks/${task}/runs`,
    ...Object.fromEntries(
      ['schema', 'live', 'write', 'import', 'delete', 'settings'].map((tab) => [
        tab,
        `${bucket}/${tab}`,
      ]),
    ),
  }
}

const adminToken = 'the-admin-token-of-this-test'

describe.skipIf(!isPossible)('pages of the cluster variant', () => {
  let program: Program
  let browser: Browser
  let watch: Watch
  let page: Page

  beforeAll(async () => {
    const args = ['--variant', 'cluster', '--admin-token', adminToken]
    ;[program, browser] = await Promise.all([startProgram(args), startBrowser()])
    const context = await newContext(browser)
    watch = new Watch(context, program.url)
    page = await context.newPage()
    page.setDefaultTimeout(15_000)
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
    const post = (path: string, body: string) =>
      fetch(program.url + path, { method: 'POST', headers, body })
    await post('/api/v3/configure/database', JSON.stringify({ db: 'metrics' }))
    await post('/api/v3/write_lp?db=metrics', 'room,room=attic temperature=21')
  }, startMs)
  afterAll(async () => {
    await browser?.close()
    await program?.stop()
  })
  afterEach(() => watch.expectNothing())

  it('signing in', async () => {
    await page.goto(program.url)
    await page.getByLabel('Token', { exact: true }).waitFor()
    await expectTree(page.locator('body'), 'cluster-sign-in')
    await page.getByLabel('Token', { exact: true }).fill(adminToken)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Explore' }).waitFor()
  })

  it.each(['explore', 'databases', 'tokens', 'status'])('%s', async (name) => {
    await walkTo(page, `${program.url}/${name}`)
    await expectTree(page.getByRole('main'), `cluster-${name}`)
  })
})

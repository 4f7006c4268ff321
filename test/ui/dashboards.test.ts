// Dashboards in a real browser: a template dropped on the window, looking without changing, editing with undo and one
// request to save, variables, all kinds of cells, a query from the explorer to a cell. After each: no error in the
// console, no request to another host, nothing that axe finds.

import type { Browser, BrowserContext, Page, Request } from 'playwright-core'
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
  Watch,
} from './browser.js'
import { houseLines, houseTemplate, kindsDashboard } from './dashboard-samples.js'

const isPossible = chromiumPath !== undefined && isBuilt
if (!isPossible) process.stdout.write('dashboards: skipped, there is no Chromium or no build\n')

describe.skipIf(!isPossible)('dashboards', () => {
  let program: Program
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let watch: Watch
  let call: (method: string, path: string, body?: unknown) => Promise<Answer>
  const changes: string[] = []

  beforeAll(async () => {
    program = await startProgram()
    const made = await post(`${program.url}/api/v2/setup`, {
      username: 'me',
      password: 'a long password',
      org: 'home',
      bucket: 'sensors',
    })
    call = caller(program.url, made.auth.token)
    await call('POST', '/api/v2/write?org=home&bucket=sensors&precision=ms', houseLines())
    browser = await startBrowser()
    context = await newContext(browser, ['clipboard-write'])
    watch = new Watch(context, program.url)
    context.on('request', (request: Request) => {
      if (request.method() !== 'GET') changes.push(`${request.method()} ${pathOf(request)}`)
    })
    page = await context.newPage()
    page.setDefaultTimeout(15_000)
    await page.goto(program.url)
    await page.getByLabel('Name').fill('me')
    await page.getByLabel('Password', { exact: true }).fill('a long password')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Explore' }).waitFor()
  }, 60_000)

  afterAll(async () => {
    await browser?.close()
    await program?.stop()
  })

  afterEach(() => watch.expectNothing())

  it('shows what a dropped template makes, and makes it', async () => {
    await page.getByRole('navigation').getByRole('link', { name: 'Dashboards' }).click()
    await page.getByText('No dashboard yet').waitFor()
    await picture(page, 'dashboards-empty')
    await expectAccessible(page)
    await drop(page, 'house.yml', houseTemplate)
    const dialog = page.getByRole('dialog', { name: 'house.yml' })
    await dialog.getByText('1 dashboard').waitFor()
    await dialog.getByText('2 variables').waitFor()
    expect((await call('GET', '/api/v2/dashboards')).dashboards).toEqual([])
    await picture(page, 'dashboards-template')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('heading', { name: 'House', level: 1 }).waitFor()
    await page.getByRole('img', { name: /^4 series: mean/ }).waitFor()
  })

  it('refuses what is no template', async () => {
    watch.allow(422)
    await drop(page, 'wrong.yml', 'kind: Nonsense\n')
    await page.getByRole('dialog').getByRole('alert').waitFor()
    await picture(page, 'dashboards-wrong-template')
    await page.keyboard.press('Escape')
    await drop(page, 'picture.png', 'none')
    await page.getByText('A template is a file that ends in').waitFor()
    const told = page.getByRole('alert').filter({ hasText: 'A template is a file' })
    await told.getByRole('button', { name: 'Close' }).click()
  })

  it('looks without changing anything, and keeps range, refresh and choices in the link', async () => {
    const count = changes.filter(isChange).length
    await page.getByRole('combobox', { name: 'room' }).click()
    await page.getByRole('option', { name: 'cellar' }).click()
    await page.waitForURL(/v\.room=cellar/)
    await page.getByRole('button', { name: 'Past 1 hour' }).click()
    await page.getByRole('menuitem', { name: 'Past 6 hours' }).click()
    await page.waitForURL(/r=6h/)
    const number = page.getByRole('article', { name: 'Now' }).getByRole('img')
    await number.getByText(/^[\d.]+ °C$/).waitFor()
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    await picture(page, 'dashboard')
    const link = page.url()
    await page.goto(`${program.url}/dashboards`)
    await page.getByRole('link', { name: 'House' }).waitFor()
    await picture(page, 'dashboards')
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    await page.goto(link)
    await page.getByRole('img', { name: /^4 series: mean/ }).waitFor()
    expect(await page.getByRole('combobox', { name: 'room' }).inputValue()).toBe('cellar')
    expect(changes.filter(isChange).length).toBe(count)
  })

  it('moves cells by keys and by drag, takes it back, and saves all in one request', async () => {
    const before = await cellsOf(call)
    const placeOf = async (name: string) => (await cellsOf(call)).find((cell) => cell.name === name)
    await page.keyboard.press('d')
    await page.keyboard.press('e')
    const toolbar = page.getByRole('toolbar', { name: 'Edit' })
    await toolbar.getByText('No changes').waitFor()
    const handle = page.getByRole('group', { name: 'Move Now' })
    await handle.press('ArrowRight')
    await handle.press('Shift+ArrowDown')
    await toolbar.getByText('2 changes').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await toolbar.getByText('1 change', { exact: true }).waitFor()
    await page.keyboard.press('Control+Shift+z')
    await toolbar.getByText('2 changes').waitFor()
    const box = (await page.getByRole('group', { name: 'Move Temperature' }).boundingBox())!
    await page.mouse.move(box.x + 40, box.y + 8)
    await page.mouse.down()
    await page.mouse.move(box.x + 40, box.y + 420, { steps: 6 })
    await page.mouse.up()
    await toolbar.getByText('3 changes').waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Data' }).click()
    await page.getByRole('heading', { name: 'Data', level: 1 }).waitFor()
    await page.goBack()
    await toolbar.getByText('1 change', { exact: true }).waitFor()
    await picture(page, 'dashboard-edit')
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    expect(await cellsOf(call)).toEqual(before)
    const count = changes.filter(isChange).length
    await page.keyboard.press('Control+s')
    await page.getByText('House is saved').waitFor()
    expect(changes.filter(isChange).slice(count)).toEqual([
      expect.stringMatching(/^PATCH \/api\/v2\/dashboards\/\w+$/),
    ])
    const now = (await placeOf('Now'))!
    const old = before.find(({ name }) => name === 'Now')!
    expect([now.x, now.h]).toEqual([old.x + 1, old.h + 1])
    expect((await placeOf('Temperature'))!.y).toBeGreaterThan(0)
    // What the page does not know of a cell is still there.
    const kept = (await placeOf('Temperature'))!.properties
    expect(kept).toMatchObject({ hoverDimension: 'auto', somebodysOwn: { a: [1] } })
  })

  it('edits a cell: queries in other languages, options of its kind, cancel and done', async () => {
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByRole('button', { name: 'Cell', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'New cell' })
    await dialog.getByLabel('Name').fill('Warmest')
    await dialog.getByRole('button', { name: 'Query', exact: true }).click()
    await dialog.getByRole('radiogroup', { name: 'Language' }).getByText('SQL').click()
    const editor = dialog.getByRole('textbox', { name: 'Query A' })
    await editor.focus()
    await editor.press('Control+a')
    await editor.press('Delete')
    await page.keyboard.insertText(
      'SELECT max(temperature) FROM room WHERE time >= $from AND time < $to AND room = $room',
    )
    await dialog.getByRole('button', { name: 'Run' }).click()
    await dialog.getByRole('combobox', { name: 'Shown as' }).click()
    await page.getByRole('option', { name: 'Number', exact: true }).click()
    await dialog.getByLabel('Unit after it').fill(' °C')
    await dialog.getByRole('img', { name: /^Warmest [\d.]+ °C$/ }).waitFor()
    await picture(page, 'dashboard-cell-editor')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Done' }).click()
    const cell = page.getByRole('article', { name: 'Warmest' })
    await cell.getByRole('img', { name: /°C$/ }).waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('House is saved').first().waitFor()
    const saved = (await cellsOf(call)).find(({ name }) => name === 'Warmest')!
    expect(saved.properties).toMatchObject({
      type: 'single-stat',
      suffix: ' °C',
      queries: [{ language: 'sql', bucket: 'sensors' }],
    })
  })

  it('makes variables of all kinds, which cells use in all languages', async () => {
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByRole('button', { name: 'Variables' }).click()
    const dialog = page.getByRole('dialog', { name: 'Variables' })
    await dialog.getByRole('button', { name: 'Variable', exact: true }).click()
    watch.allow(400)
    await dialog.getByLabel('Name', { exact: true }).fill('1st')
    await dialog.getByRole('button', { name: 'Make it' }).click()
    await dialog.getByText('variable name must start with a letter').waitFor()
    await dialog.getByLabel('Name', { exact: true }).fill('tables')
    await dialog.getByText('Asked by a query').click()
    await dialog.getByRole('radiogroup', { name: 'Language' }).getByText('InfluxQL').click()
    await dialog.getByLabel('Query', { exact: true }).fill('SHOW MEASUREMENTS')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Make it' }).click()
    await dialog.getByText('asked in InfluxQL').waitFor()
    await picture(page, 'dashboard-variables')
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('toolbar').getByRole('button', { name: 'Close' }).click()
    const { variables } = await call('GET', '/api/v2/variables')
    const made = variables.find(({ name }: { name: string }) => name === 'tables')
    expect(made.arguments).toEqual({
      type: 'query',
      values: { query: 'SHOW MEASUREMENTS', language: 'influxql' },
    })
  })

  it('draws all kinds of cells', async () => {
    const { id } = await call('POST', '/api/v2/dashboards', {
      orgID: (await call('GET', '/api/v2/orgs')).orgs[0].id,
      ...kindsDashboard,
    })
    await page.goto(`${program.url}/dashboards/${id}?r=6h`)
    for (const [cell, image] of [
      ['Graph', /series/],
      ['Both', /^Now/],
      ['Number', /^Number/],
      ['Gauge', /^Gauge .* of 0 to 40/],
      ['Histogram', /values in 20 bins/],
      ['Heat map', /points$/],
      ['Scatter', /points in 4 groups/],
      ['Band', /series/],
      ['Mosaic', /rows/],
      ['Map', /3 places/],
    ] as const) {
      const region = page.getByRole('article', { name: cell, exact: true })
      await region.scrollIntoViewIfNeeded()
      await region.getByRole('img', { name: image }).first().waitFor()
    }
    await page.getByRole('columnheader', { name: 'warmth' }).waitFor()
    await page.getByRole('link', { name: 'a link' }).waitFor()
    expect(await page.getByRole('note').first().innerHTML()).not.toContain('<b>')
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    await page.setViewportSize({ width: 1280, height: 1600 })
    await page.locator('#main').evaluate('(main) => main.scrollTo(0, 0)')
    await page.getByRole('img', { name: /3 places/ }).waitFor()
    await picture(page, 'dashboard-kinds')
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('button', { name: 'Change to the dark theme' }).click()
    await page.mouse.move(400, 20)
    await page.getByRole('tooltip').waitFor({ state: 'hidden' })
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Change to the light theme' }).click()
  })

  it('shows a cell in full, its query, and opens it in the explorer', async () => {
    await page.getByRole('button', { name: 'Menu of Graph' }).click()
    await page.getByRole('menuitem', { name: 'Full screen' }).click()
    const graph = page.getByRole('dialog', { name: 'Graph' })
    await graph.getByRole('img', { name: /series/ }).waitFor()
    expect(
      (await graph.getByRole('img', { name: /series/ }).boundingBox())!.height,
    ).toBeGreaterThan(400)
    await picture(page, 'dashboard-full-screen')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Menu of Graph' }).click()
    await page.getByRole('menuitem', { name: 'Show query' }).click()
    await page.getByRole('dialog').getByText('|> aggregateWindow').waitFor()
    await picture(page, 'dashboard-query')
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Menu of Graph' }).click()
    await page.getByRole('menuitem', { name: 'Explore' }).click()
    await page.getByRole('heading', { name: 'Explore' }).waitFor()
    await page.getByRole('img', { name: /series/ }).waitFor()
  })

  it('copies a cell and a dashboard, exports one, and deletes one after asking', async () => {
    await page.goto(`${program.url}/dashboards`)
    await page.getByRole('link', { name: 'All kinds' }).click()
    await page.getByRole('button', { name: 'Menu of Gauge' }).click()
    await page.getByRole('menuitem', { name: 'Copy to…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Copy Gauge to' })
    await dialog.getByRole('combobox', { name: 'Dashboard' }).click()
    await page.getByRole('option', { name: 'House' }).click()
    await dialog.getByRole('button', { name: 'Copy it there' }).click()
    await page.getByText('Copied to House').waitFor()
    expect((await cellsOf(call)).map(({ name }) => name)).toContain('Gauge')
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Make a copy' }).click()
    await page.getByRole('heading', { name: 'All kinds copy', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'More' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'Export as a template' }).click()
    expect((await download).suggestedFilename()).toBe('All-kinds-copy.yml')
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Delete it' }).click()
    await page.getByRole('heading', { name: 'Dashboards', level: 1 }).waitFor()
    await page.getByText('All kinds copy is deleted').waitFor()
    await page.getByLabel('Find a dashboard').fill('kind')
    await page.getByText('1 of 2').waitFor()
    expect(await page.getByRole('link', { name: /House|All kinds/ }).allTextContents()).toEqual([
      'All kinds',
    ])
  })

  it('makes a cell of a question in the explorer', async () => {
    await page.goto(`${program.url}/explore?l=influxql&b=sensors&m=room&r=3h`)
    await page.getByRole('img', { name: /^4 series/ }).waitFor()
    await page.getByRole('button', { name: 'Save as' }).click()
    await page.getByRole('menuitem', { name: 'Cell of a dashboard' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add to a dashboard' })
    await dialog.getByLabel('Name of the cell').fill('From the explorer')
    await picture(page, 'explore-save-cell')
    await expectAccessible(page)
    await dialog.getByRole('combobox', { name: 'Dashboard' }).click()
    await page.getByRole('option', { name: 'House' }).click()
    await dialog.getByRole('button', { name: 'Add it' }).click()
    await page.getByRole('heading', { name: 'House', level: 1 }).waitFor()
    const cell = page.getByRole('article', { name: 'From the explorer' })
    await cell.scrollIntoViewIfNeeded()
    await cell.getByRole('img', { name: /^4 series/ }).waitFor()
    const made = (await cellsOf(call)).find(({ name }) => name === 'From the explorer')!
    expect(made.properties).toMatchObject({
      type: 'xy',
      queries: [
        { language: 'influxql', bucket: 'sensors', text: expect.stringContaining('$timeFilter') },
      ],
    })
  })
})

interface StoredCell {
  readonly x: number
  readonly y: number
  readonly h: number
  readonly name: string
  readonly properties: Record<string, unknown>
}

// biome-ignore lint/suspicious/noExplicitAny: answers of the service, of all shapes
type Answer = any

function caller(url: string, token: string) {
  return async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const isText = typeof body === 'string'
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Token ${token}`,
        ...(body === undefined || isText ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    expect(response.ok, text).toBe(true)
    return text === '' ? undefined : JSON.parse(text)
  }
}

async function post(url: string, body: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json()
}

async function cellsOf(call: ReturnType<typeof caller>): Promise<StoredCell[]> {
  const { dashboards } = await call('GET', '/api/v2/dashboards')
  const { id } = dashboards.find(({ name }: { name: string }) => name === 'House')
  return (await call('GET', `/api/v2/dashboards/${id}?include=properties`)).cells
}

function pathOf(request: Request): string {
  return new URL(request.url()).pathname
}

/** Questions are asked by POST too. */
function isChange(request: string): boolean {
  return !/query|analyze|signin|templates\/apply/.test(request)
}

/** As a browser does it that is handed a file: the window gets it with the event. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const data = await page.evaluateHandle(
    `(() => {
      const data = new DataTransfer()
      data.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}))
      return data
    })()`,
  )
  await page.dispatchEvent('#main', 'dragover', { dataTransfer: data })
  await page.dispatchEvent('#main', 'drop', { dataTransfer: data })
}

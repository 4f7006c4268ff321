// Journeys through the web UI in a real browser, one after the other in one window: what the first has made the next
// ones use. After each: no error in the console, no refusal by the page's policy, no request to another host, and
// nothing that axe finds.

import { readFileSync } from 'node:fs'
import type { Browser, BrowserContext, Locator, Page, Request } from 'playwright-core'
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
  takesPictures,
  Watch,
} from './browser.js'
import { expectTree } from './trees.js'

const isPossible = chromiumPath !== undefined && isBuilt
if (!isPossible) process.stdout.write('web UI: skipped, there is no Chromium or no build\n')

describe.skipIf(!isPossible)('the web UI', () => {
  let program: Program
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let watch: Watch

  beforeAll(async () => {
    ;[program, browser] = await Promise.all([startProgram(), startBrowser()])
    context = await newContext(browser, ['clipboard-write'])
    watch = new Watch(context, program.url)
    page = await context.newPage()
    page.setDefaultTimeout(15_000)
  }, startTimeoutMs)

  afterAll(async () => {
    await browser?.close()
    await program?.stop()
  })

  afterEach(() => watch.expectNothing())

  it('leads from set-up over sample data to the first chart', async () => {
    await page.goto(program.url)
    await page.getByRole('heading', { name: 'Set up' }).waitFor()
    await picture(page, 'setup')
    await expectTree(page.locator('body'), 'setup')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Set up' }).click()
    await page.getByText('The password needs 8 characters.').waitFor()
    await page.getByLabel('Name').fill('me')
    await page.getByLabel('Password', { exact: true }).fill('a long password')
    await page.getByRole('button', { name: 'Set up' }).click()
    await page.getByRole('button', { name: /Sample data/ }).click()
    await page.getByRole('button', { name: 'Write the sample' }).click()
    await page.getByText('15 points in door, 2,880 points in power, 5,760 points in room').waitFor()
    await picture(page, 'setup-data')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'See it' }).click()
    await page.getByRole('img', { name: /^4 series: mean .*, highest .* at / }).waitFor()
    await page.getByText(/1,1\d\d rows/).waitFor()
    await picture(page, 'explore')
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
  })

  it('asks the same in all three languages', async () => {
    // Between two moments: the past 24 hours are others at each question.
    const hour = 3_600_000
    const to = Math.floor(Date.now() / hour) * hour
    await page.goto(`${program.url}/explore?b=sensors&m=room&r=${to - 12 * hour}..${to}`)
    await page.getByRole('img', { name: /^4 series/ }).waitFor()
    const told: string[] = []
    for (const language of ['InfluxQL', 'Flux', 'SQL']) {
      await page
        .getByRole('radiogroup', { name: 'Language' })
        .getByText(language, { exact: true })
        .click()
      await page.waitForURL(new RegExp(`l=${language.toLowerCase()}`))
      await page.getByText(/1,\d\d\d rows/).waitFor()
      await page.getByRole('button', { name: 'Run' }).waitFor()
      told.push(
        (await page.getByRole('img', { name: /^4 series/ }).getAttribute('aria-label')) ?? '',
      )
    }
    expect(new Set(told).size).toBe(1)
  })

  it('moves a chart with the pointer and shift, and zooms without', async () => {
    const hour = 3_600_000
    const to = Math.floor(Date.now() / hour) * hour
    const range = () =>
      (new URL(page.url()).searchParams.get('r') ?? '').split('..').map(Number) as [number, number]
    await page.goto(`${program.url}/explore?b=sensors&m=room&r=${to - 12 * hour}..${to}`)
    const plot = page.locator('.graph-canvas .u-over')
    const drag = async (by: number, during?: () => Promise<void>) => {
      await page.getByRole('img', { name: /^4 series/ }).waitFor()
      // Until then the chart may be drawn anew, without the button that was pressed on it.
      await page.getByRole('button', { name: 'Run' }).waitFor()
      const before = page.url()
      const { x, y, width, height } = (await plot.boundingBox())!
      await page.mouse.move(x + width / 2, y + height / 2)
      await page.mouse.down()
      await page.mouse.move(x + width / 2 + by * width, y + height / 2, { steps: 3 })
      await during?.()
      await page.mouse.up()
      await page.waitForURL((url) => url.href !== before)
    }
    await page.keyboard.down('Shift')
    await drag(1 / 4, async () => {
      const shift = await page.locator('.graph-moving canvas').first().getAttribute('style')
      expect(shift).toMatch(/translateX\(\d+/)
    })
    await page.keyboard.up('Shift')
    expect(await page.locator('.graph-moving').count()).toBe(0)
    const [from, until] = range()
    expect(until - from).toBe(12 * hour)
    // A quarter of the range, but for a pixel.
    expect(Math.abs(until - (to - 3 * hour))).toBeLessThan(hour / 10)
    await drag(1 / 4)
    const [zoomedFrom, zoomedTo] = range()
    expect(Math.abs(zoomedTo - zoomedFrom - 3 * hour)).toBeLessThan(hour / 10)
    expect(zoomedFrom).toBeGreaterThan(from)
  })

  it('takes a question along: as Parquet, for other programs, as script, task and check', async () => {
    await page.goto(`${program.url}/explore?l=flux&b=sensors&m=room&r=6h`)
    await page.getByRole('img', { name: /^4 series/ }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Parquet' }).click(),
    ])
    expect(
      readFileSync(await download.path())
        .subarray(0, 4)
        .toString(),
    ).toBe('PAR1')
    for (const name of ['Grafana', 'Telegraf']) {
      await page.getByRole('button', { name: 'Copy as' }).click()
      await page.getByRole('menuitem', { name }).click()
      await page.getByText(`Copied for ${name}`).waitFor()
    }
    const saveAs = async (name: string) => {
      await page.getByRole('button', { name: 'Save as' }).click()
      await page.getByRole('menuitem', { name, exact: true }).click()
    }
    await saveAs('Script')
    await page.getByRole('dialog').getByLabel('Name').fill('rooms')
    await page.getByRole('button', { name: 'Save it' }).click()
    await page.getByText('rooms is saved').waitFor()
    await saveAs('Check')
    await page.getByRole('heading', { name: 'New check' }).waitFor()
    await page.getByLabel('Query', { exact: true }).getByText('aggregateWindow').waitFor()
    await page.goBack()
    await page.getByRole('img', { name: /^4 series/ }).waitFor()
    await saveAs('Task')
    await page.getByText('v = {timeRangeStart: -6h').waitFor()
    await page.getByRole('button', { name: 'Make it' }).click()
    await page.getByRole('button', { name: 'Try' }).click()
    await page.getByText(/it would write 0 points/).waitFor()
    await page.keyboard.press('Escape')
    await page.goto(`${program.url}/explore?l=sql&b=sensors&m=room&r=24h`)
    await page.getByRole('img', { name: /^4 series/ }).waitFor()
  })

  it('shows rows as a table, as text, and how the query was carried out', async () => {
    const view = page.getByRole('radiogroup', { name: 'View' })
    await view.getByText('Table', { exact: true }).click()
    await page.getByRole('columnheader', { name: 'humidity' }).waitFor()
    await expectAccessible(page)
    await picture(page, 'explore-table')
    await view.getByText('Raw', { exact: true }).click()
    await page.getByText(/^time,room,humidity/).waitFor()
    await picture(page, 'explore-raw')
    await view.getByText('Plan', { exact: true }).click()
    await page
      .locator('.raw')
      .filter({ hasText: /scan|plan|analyze/i })
      .waitFor()
    await picture(page, 'explore-plan')
    await view.getByText('Chart', { exact: true }).click()
    // What stands under the cursor is read out where keys move it.
    await page.getByRole('img', { name: /^4 series/ }).press('ArrowRight')
    await page
      .locator('.graph [aria-live=polite]', { hasText: /: bedroom \d.*, cellar \d/ })
      .waitFor()
    // The table of a chart is one key away, and the chart of a table.
    await page.getByRole('img', { name: /^4 series/ }).press('v')
    await page.getByRole('columnheader', { name: 'humidity' }).waitFor()
    await page.keyboard.press('v')
    await page.getByRole('img', { name: /^4 series/ }).waitFor()
  })

  it('keeps what was typed, tells what is wrong with it, and shares it as a link', async () => {
    watch.allow(400)
    await page
      .getByRole('radiogroup', { name: 'Language' })
      .getByText('InfluxQL', { exact: true })
      .click()
    const editor = page.getByLabel('Query in influxql')
    // Mistakes are marked while typing.
    await typeQuery(editor, 'SELECT mean(temperature FROM room WHERE $timeFilter')
    await page.locator('.cm-lintRange-error', { hasText: 'FROM' }).waitFor()
    // Names that the bucket does not have are doubted, and the likely one is told.
    await typeQuery(editor, 'SELECT mean(temprature) FROM room WHERE $timeFilter')
    await page.locator('.cm-lintRange-warning', { hasText: 'temprature' }).hover()
    await page.getByText('did you mean temperature?').waitFor()
    await typeQuery(editor, 'SELECT mean(temperature) FROM room WHERE $timeFilter GROUP BY tme(1h)')
    await page.getByText('Written by hand').waitFor()
    await page.getByRole('button', { name: 'Run' }).click()
    await page
      .getByRole('alert')
      .getByText(/time\(\)|tme/)
      .waitFor()
    await picture(page, 'explore-error')
    await typeQuery(editor, 'SELECT max(temperature) FROM room WHERE $timeFilter GROUP BY time(1h)')
    await editor.press('Control+Enter')
    await page.getByRole('img', { name: /^One series, max/ }).waitFor()
    const link = page.url()
    await page.goto(`${program.url}/data-that-is-not-there`)
    await page.getByRole('heading', { name: 'Not found' }).waitFor()
    await picture(page, 'not-found')
    await expectTree(page.locator('body'), 'not-found')
    await page.goto(link)
    await page.getByRole('img', { name: /^One series, max/ }).waitFor()
  })

  it('keeps tree and text in step, and translates what the tree can show', async () => {
    const language = (name: string) =>
      page.getByRole('radiogroup', { name: 'Language' }).getByText(name, { exact: true })
    await page.goto(`${program.url}/explore?l=influxql&b=sensors&r=6h`)
    await typeQuery(
      page.getByLabel('Query in influxql'),
      "select max(temperature) as temperature from room where $timeFilter and room = 'kitchen' " +
        'group by time($window) fill(none)',
    )
    await page.getByText('The tree and the text say the same').waitFor()
    await page.getByRole('button', { name: 'temperature float' }).waitFor()
    await language('Flux').click()
    await page.getByText('fn: max').waitFor()
    await page.getByRole('img', { name: /^One series, temperature/ }).waitFor()
    await language('SQL').click()
    await page.getByText('max("temperature")').waitFor()
    await page.getByRole('img', { name: /^One series, temperature/ }).waitFor()
    // The tree changes what was typed, since the two said the same.
    await language('InfluxQL').click()
    await page.getByRole('button', { name: 'humidity float' }).click()
    await page.getByText('max("humidity")').waitFor()
    // What the tree cannot show stays as it is, and in its language.
    await typeQuery(page.getByLabel('Query in influxql'), 'SHOW TAG KEYS')
    await page.getByText('Written by hand').waitFor()
    await page.getByRole('button', { name: 'humidity float' }).click()
    await page.getByLabel('Query in influxql').getByText('SHOW TAG KEYS').waitFor()
  })

  it('stops a query that takes long', async () => {
    await page
      .getByRole('radiogroup', { name: 'Language' })
      .getByText('Flux', { exact: true })
      .click()
    const editor = page.getByLabel('Query in flux')
    await typeQuery(
      editor,
      'import "generate"\nfrom(bucket: "sensors") |> range(start: -1d) |> yield(name: "read")\n' +
        'generate.from(count: 50000000, fn: (n) => n, start: 2020-01-01T00:00:00Z, ' +
        'stop: 2021-01-01T00:00:00Z) |> sum()',
    )
    await editor.press('Control+Enter')
    await page.getByText(/^Running · .* · [1-9][\d,]* rows read/).waitFor()
    await page.getByRole('button', { name: 'Stop' }).first().click()
    await page.getByRole('button', { name: 'Run' }).waitFor()
  })

  it('makes a bucket, writes to it, imports a file and shows what lies there', async () => {
    watch.allow(400)
    await page.keyboard.press('Escape')
    await page.getByRole('navigation').getByRole('link', { name: 'Data' }).click()
    await page.getByRole('heading', { name: 'Data' }).waitFor()
    await page.getByRole('link', { name: 'sensors' }).waitFor()
    await picture(page, 'data')
    await expectTree(page.getByRole('main'), 'data')
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    await page.getByRole('button', { name: 'New bucket' }).click()
    await page.getByLabel('Name').fill('<img src=x onerror=alert(1)>')
    await page.getByRole('button', { name: 'Make it' }).click()
    await page.getByRole('link', { name: '<img src=x onerror=alert(1)>' }).click()
    await page.getByRole('link', { name: 'Write the first points' }).click()
    await page.getByLabel(/^Line protocol/).fill('m,a=b v=1\nbroken')
    await page.getByText(/^✓ m: 1 point, v;/).waitFor()
    await page.getByText('line 2: missing fields').waitFor()
    await picture(page, 'data-write')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Write 2 lines' }).click()
    await page.getByRole('alert').getByText('line 2: missing fields').waitFor()
    // The good line is written, the other stays to be mended.
    expect(await page.getByLabel(/^Line protocol/).inputValue()).toBe('broken')
    await expectAccessible(page)
    await page.getByRole('tab', { name: 'Import' }).click()
    const content =
      'time,host,load\n2026-01-01T00:00:00Z,a,1.5\n2026-01-01T00:00:01Z,b,none\nlater,c,2\n'
    const file = { name: 'cpu.csv', mimeType: 'text/csv', buffer: Buffer.from(content) }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByLabel('load', { exact: true }).first().waitFor()
    await picture(page, 'data-import')
    await page.getByLabel('load', { exact: true }).first().click()
    await page.getByRole('option', { name: 'field' }).click()
    await page.getByRole('button', { name: /^Import into/ }).click()
    await page.getByText('2 points written.').waitFor()
    await page.getByText(/row 4: "later" is no time/).waitFor()
    await page.getByRole('tab', { name: 'Schema' }).click()
    await page.getByRole('button', { name: 'cpu', exact: true }).click()
    await page.getByText('2 series').waitFor()
    await picture(page, 'data-schema')
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Explore cpu' }).click()
    await page.getByRole('heading', { name: 'Explore' }).waitFor()
  })

  it('shows points as they are written, and imports Parquet', async () => {
    const ask = async (path: string, body: unknown) =>
      page.evaluate(
        async ([url, text]) => {
          const headers = { 'content-type': 'application/json' }
          const answer = await fetch(url, { method: 'POST', headers, body: text })
          return [...new Uint8Array(await answer.arrayBuffer())]
        },
        [path, typeof body === 'string' ? body : JSON.stringify(body)] as const,
      )
    await page.getByRole('navigation').getByRole('link', { name: 'Data' }).click()
    await page.getByRole('link', { name: 'sensors' }).click()
    await page.getByRole('tab', { name: 'Live' }).click()
    await page.getByText('Watching: 0 points so far').waitFor()
    await ask('api/v2/write?org=home&bucket=sensors', 'meter,place=cellar watts=42')
    await page.getByText(/^meter,place=cellar watts=42 \d{19}$/).waitFor()
    await picture(page, 'data-live')
    await expectAccessible(page)
    const q = 'SELECT time, room, temperature FROM room LIMIT 100'
    const parquet = await ask('api/v3/query_sql', { db: 'sensors', q, format: 'parquet' })
    await page.getByRole('tab', { name: 'Import' }).click()
    const buffer = Buffer.from(parquet)
    const file = { name: 'copy.parquet', mimeType: 'application/octet-stream', buffer }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByText('100 rows, 100 points.').waitFor()
    await picture(page, 'data-import-parquet')
    await expectAccessible(page)
    await page.getByRole('button', { name: /^Import into/ }).click()
    await page.getByText('100 points written.').waitFor()
    await page.getByRole('tab', { name: 'Schema' }).click()
    await page.getByRole('button', { name: 'copy', exact: true }).waitFor()
    for (const name of ['Delete', 'Settings']) {
      await page.getByRole('tab', { name }).click()
      await page.getByRole('tabpanel').waitFor()
      await picture(page, `data-${name.toLowerCase()}`)
      await expectAccessible(page)
    }
  })

  it('makes a token that works, and switches it off', async () => {
    await page.getByRole('navigation').getByRole('link', { name: 'Access' }).click()
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByLabel('Description').fill('for the cellar')
    await page.getByLabel('read sensors').check()
    await picture(page, 'access-new-token')
    await expectTree(page.getByRole('dialog'), 'access-new-token')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Make it' }).click()
    const token = await page.getByRole('dialog').locator('pre').textContent()
    await picture(page, 'access-token')
    const status = async () => {
      const query = `db=sensors&q=${encodeURIComponent('SELECT last(temperature) FROM room')}`
      const headers = { authorization: `Token ${token}` }
      return (await fetch(`${program.url}/query?${query}`, { headers })).status
    }
    expect(await status()).toBe(200)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText('read buckets').waitFor()
    await picture(page, 'access')
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    await page.getByLabel('for the cellar is on').press('Space')
    await page.getByText('for the cellar is off').waitFor()
    expect(await status()).toBe(401)
    await page.getByRole('button', { name: 'Delete for the cellar' }).click()
    await page.getByRole('button', { name: 'Delete for the cellar: sure?' }).click()
    await page.getByText('for the cellar is deleted').waitFor()
  })

  it('shows how the service is, and stops a query that runs', async () => {
    await page.getByRole('navigation').getByRole('link', { name: 'Status' }).click()
    await page.getByText('ready for queries and writes').waitFor()
    await page.getByText('None right now.').waitFor()
    watch.allow(400, 500)
    const query =
      'import "generate"\ngenerate.from(count: 50000000, fn: (n) => n, start: 2020-01-01T00:00:00Z, ' +
      'stop: 2021-01-01T00:00:00Z) |> sum()'
    const ask = (body: string) => {
      const headers = { 'content-type': 'application/json' }
      void fetch('api/v2/query?org=home', { method: 'POST', headers, body })
    }
    await page.evaluate(ask, JSON.stringify({ query }))
    const row = page.getByRole('row').filter({ hasText: 'generate.from' })
    await row.getByRole('button', { name: /^Stop query/ }).click()
    await page.getByText(/Query \d+ is stopped/).waitFor()
    // What was stopped has ended too.
    const slowest = page.getByRole('table', { name: 'Slowest queries' })
    await slowest.getByText('generate.from').first().waitFor()
    const used = page.getByRole('table', { name: 'Usage' }).getByRole('row')
    await used.filter({ hasText: 'sensors' }).getByText(/kB|MB/).first().waitFor()
    await page.getByText('None: only the installation’s own.').waitFor()
    // What comes each second is drawn after some looks, for which only a picture waits.
    const line = page.locator('.sparkline polyline').first()
    if (takesPictures) await line.waitFor({ state: 'attached' })
    await picture(page, 'status')
    await page.getByText('Configuration', { exact: true }).click()
    await page.getByText('--query-concurrent-max').waitFor()
    await picture(page, 'status-configuration')
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
  })

  it('asks to sign in again where a session has ended, and goes on', async () => {
    watch.allow(401)
    await page.goto(
      `${program.url}/explore?l=influxql&b=sensors&r=24h&q=SELECT+last(temperature)+FROM+room`,
    )
    await page.getByRole('img', { name: /^One series, last/ }).waitFor()
    await typeQuery(page.getByLabel('Query in influxql'), 'SELECT first(temperature) FROM room')
    await context.clearCookies()
    // Not by the pointer: names are looked up while somebody types, and may have opened the dialog already.
    await page.getByRole('button', { name: 'Run' }).dispatchEvent('click')
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.waitFor()
    await expectAccessible(page)
    await dialog.getByLabel('Password', { exact: true }).fill('wrong')
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.getByText('Name or password is wrong.').waitFor()
    await picture(page, 'session-ended')
    await expectTree(dialog, 'session-ended')
    await dialog.getByLabel('Password', { exact: true }).fill('a long password')
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('img', { name: /^One series, first/ }).waitFor()
  })

  it('signs out and in', async () => {
    await page.getByRole('button', { name: 'User me' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Millrace' }).waitFor()
    await picture(page, 'sign-in')
    await expectTree(page.locator('body'), 'sign-in')
    await expectAccessible(page)
    await page.getByLabel('Name').fill('me')
    await page.getByLabel('Password', { exact: true }).fill('a long password')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Explore' }).waitFor()
  })

  it('asks for what the explorer shows first before its code has come, and once', async () => {
    const asked: string[] = []
    const onRequest = (request: Request) => {
      const { pathname, search } = new URL(request.url())
      if (/^\/api\//.test(pathname)) asked.push(`${pathname}${search}`)
    }
    // What the page before still asks is none of this one's.
    await page.goto('about:blank')
    page.on('request', onRequest)
    await page.goto(`${program.url}/explore?b=sensors`)
    await page.getByRole('list', { name: 'Measurements' }).waitFor()
    page.off('request', onRequest)
    // The page would have asked for the list of organizations, had it not been told.
    expect(asked.slice(0, 3)).toEqual([
      '/api/v2/me',
      expect.stringMatching(/^\/api\/v2\/buckets\?/),
      expect.stringMatching(/schema\?limit=100$/),
    ])
    expect(asked.filter((each, i) => asked.indexOf(each) !== i)).toEqual([])
  })

  it('is gone through with keys alone', async () => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /Go to a page/ }).waitFor()
    await page.keyboard.type('sensors')
    await page
      .getByRole('option', { name: /sensors/ })
      .first()
      .waitFor()
    await picture(page, 'palette')
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await page.waitForURL(/b=sensors/)
    const keys = async (...pressed: readonly string[]) => {
      for (const key of pressed) await page.keyboard.press(key)
    }
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await keys('t', 'z')
    await page.getByRole('button', { name: / – / }).waitFor()
    await keys('/')
    const focused = await page.evaluate("document.activeElement.getAttribute('aria-label')")
    expect(focused).toBe('Find a measurement')
    // Typed into the field, these go nowhere.
    await keys('g', 's')
    expect(await page.getByLabel('Find a measurement').inputValue()).toBe('gs')
    await page.getByLabel('Find a measurement').fill('')
    await page.getByRole('heading', { name: 'Explore' }).click()
    await keys('?')
    await page.getByRole('dialog', { name: 'Keys' }).getByText('find in the schema').waitFor()
    await picture(page, 'keys')
    await expectTree(page.getByRole('dialog'), 'keys')
    await expectAccessible(page)
    await keys('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await keys('g', 's')
    await page.getByRole('heading', { name: 'Status' }).waitFor()
    await keys('g', 'e')
    await page.getByRole('heading', { name: 'Explore' }).waitFor()
  })

  it('shows times in UTC where that is chosen', async () => {
    await page.goto(`${program.url}/settings`)
    const zone = page.getByRole('radiogroup', { name: 'Time zone' })
    await Promise.all([page.waitForEvent('load'), zone.getByText('UTC', { exact: true }).click()])
    await page.goto(`${program.url}/explore?b=sensors&r=1700000000000..1700003600000`)
    await page.getByRole('button', { name: /Nov 14, 2023, 10:13:20\s?PM – / }).waitFor()
    await page.goto(`${program.url}/settings`)
    await Promise.all([page.waitForEvent('load'), zone.getByText(/^Here/).click()])
    await page.goto(`${program.url}/explore?b=sensors`)
    await page.getByRole('heading', { name: 'Explore' }).waitFor()
  })

  it('says where there are points when there are none in the range, and when it is cut off', async () => {
    await page.goto(
      `${program.url}/explore?l=influxql&b=sensors&m=room&r=1700000000000..1700003600000`,
    )
    await page.getByText('There is nothing that fits in this range').waitFor()
    await page.getByRole('button', { name: /^Last point at / }).waitFor()
    await picture(page, 'explore-no-rows')
    await expectTree(page.getByRole('complementary', { name: 'What there is' }), 'explore-schema')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'All time' }).click()
    await page.getByRole('img', { name: /^4 series/ }).waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Status' }).click()
    await page.getByText('ready for queries and writes').waitFor()
    watch.allowOffline()
    await context.setOffline(true)
    await page.getByText('what is shown may be old').waitFor()
    await picture(page, 'offline')
    await context.setOffline(false)
    await page.getByText('what is shown may be old').waitFor({ state: 'detached' })
    await page.getByText('ready for queries and writes').waitFor()
  })

  it('shows names as text, whatever they are', async () => {
    const line = (name: string, value: string) => `${name.replace(/[ ,]/g, '\\$&')},a=${value} v=1`
    const hostile = '<img src=x onerror=alert(1)>'
    const turned = '\u202egnp.exe'
    const body = [line(hostile, turned), line(turned, hostile.replace(/[ =]/g, '\\$&'))]
    body.push(line('long', 'x'.repeat(4000)))
    const written = await page.evaluate(async (text) => {
      const path = 'api/v2/write?org=home&bucket=sensors'
      return (await fetch(path, { method: 'POST', body: text })).status
    }, body.join('\n'))
    expect(written).toBe(204)
    for (const name of [hostile, turned, 'long']) {
      await page.goto(`${program.url}/explore?b=sensors&r=1h`)
      await page.getByRole('button', { name: `${name} 1 series`, exact: true }).click()
      await page.getByRole('img', { name: /^One series/ }).waitFor()
      await expectNoSidewaysScroll(page)
    }
    await picture(page, 'explore-hostile')
    expect(await page.locator('img[src=x]').count()).toBe(0)
  })

  it('is readable in the dark', async () => {
    await page.getByRole('button', { name: 'Change to the dark theme' }).click()
    await page.getByRole('button', { name: /^room \d+ series$/ }).click()
    await page.getByRole('img', { name: /series/ }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Change to the light theme' }).click()
  })
})

/** Takes away what is there first: what replaces marked text the browser tries to give that text's style. */
async function typeQuery(editor: Locator, text: string): Promise<void> {
  await editor.focus()
  await editor.press('Control+a')
  await editor.press('Delete')
  await editor.page().keyboard.insertText(text)
}

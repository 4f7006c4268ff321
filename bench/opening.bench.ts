// How long pages take to open, in a real Chromium: until the explorer can be used and until it is seen, with an empty
// cache and with a full one, a dashboard of twelve cells with 42 series, and the heap of the explorer with a chart. Of
// each the best of some rounds: the machine is shared. Needs a build and Debian's Chromium.

import type { BrowserContext, Page } from 'playwright-core'
import { chromiumPath, isBuilt } from '../test/ui/browser.js'
import { type SignedIn, startSignedIn } from '../test/ui/signed-in.js'
import type { Figures } from './cpu-data.js'
import { metric, threadMs, watchThread } from './page-thread.js'

const chart = 'explore?b=sensors&r=6h&m=room'

const rounds = { small: 1, large: 7 } as const

export async function run(size: keyof typeof rounds): Promise<Figures> {
  if (chromiumPath === undefined || !isBuilt) {
    return { name: 'opening', figures: {}, check: 'skipped: no Chromium, or no build' }
  }
  const signedIn = await startSignedIn()
  try {
    const figures = await best(signedIn, rounds[size])
    signedIn.watch.expectNothing()
    return { name: 'opening', figures, check: `${rounds[size]} rounds` }
  } finally {
    await signedIn.close()
  }
}

async function best(ui: SignedIn, count: number): Promise<Record<string, number>> {
  const storageState = await ui.context.storageState()
  const board = await makeBoard(ui)
  const rows: Record<string, number>[] = []
  for (let i = 0; i < count; i++) {
    // A context of its own has an empty cache.
    const context = await ui.context.browser()!.newContext({
      viewport: { width: 1280, height: 1600 },
      storageState,
      reducedMotion: 'reduce',
    })
    try {
      rows.push(await once(context, ui, board))
    } finally {
      await context.close()
    }
  }
  return Object.fromEntries(
    Object.keys(rows[0]).map((name) => [name, Math.min(...rows.map((row) => row[name]))]),
  )
}

async function once(context: BrowserContext, { program: { url } }: SignedIn, board: string) {
  const cold = await opened(context, `${url}/explore?b=sensors`, async (page) => {
    await page.getByRole('button', { name: /^room/ }).waitFor()
  })
  const warm = await opened(context, `${url}/explore?b=sensors`, async (page) => {
    await page.getByRole('button', { name: /^room/ }).waitFor()
  })
  const charted = await opened(context, `${url}/${chart}`, async (page) => {
    await page
      .getByRole('img', { name: /^4 series/ })
      .first()
      .waitFor()
  })
  const cells = await opened(context, `${url}/dashboards/${board}?r=6h`, async (page) => {
    await page
      .locator('.graph-canvas canvas')
      .nth(cellCount - 1)
      .waitFor()
  })
  return {
    'explorer until usable, ms of thread': warm.thread,
    'explorer seen, cold cache, ms': cold.seen,
    'explorer seen, warm cache, ms': warm.seen,
    'dashboard of 12 cells, ms of thread': cells.thread,
    'heap of the explorer, MB': charted.heapBytes / 1e6,
  }
}

interface Opened {
  /** Of the thread, until it can be used. */
  readonly thread: number
  /** From the beginning of the navigation until the heading stands there. */
  readonly seen: number
  readonly heapBytes: number
}

/** From a page of the same service without anything on it, so that the browser's process is there. */
async function opened(
  context: BrowserContext,
  address: string,
  isUsable: (page: Page) => Promise<void>,
): Promise<Opened> {
  const page = await context.newPage()
  await page.goto(new URL('/health', address).href)
  const session = await watchThread(page)
  const before = await threadMs(session)
  await page.goto(address, { waitUntil: 'commit' })
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  const seen = await page.evaluate('performance.now()')
  await isUsable(page)
  const thread = (await threadMs(session)) - before
  await session.send('HeapProfiler.collectGarbage')
  const heapBytes = await metric(session, 'JSHeapUsedSize')
  await page.close()
  return { thread, seen: seen as number, heapBytes }
}

const cellCount = 12

/** Ten cells of four series and two of one, in three columns. */
async function makeBoard(ui: SignedIn): Promise<string> {
  const cells = Array.from({ length: cellCount }, (_, i) => ({
    name: `Cell ${i}`,
    ...{ x: (i % 3) * 4, y: Math.floor(i / 3) * 3, w: 4, h: 3 },
    properties: graph(i < 10 ? '' : '|> filter(fn: (r) => r.room == "attic")'),
  }))
  const body = { orgID: ui.orgId, name: 'Twelve', cells }
  return ((await ui.api('dashboards', body)) as { id: string }).id
}

function graph(filter: string): object {
  const text = `from(bucket: "sensors") |> range(start: v.timeRangeStart, stop: v.timeRangeStop)
    |> filter(fn: (r) => r._measurement == "room" and r._field == "temperature") ${filter}
    |> aggregateWindow(every: v.windowPeriod, fn: mean, createEmpty: false)`
  return {
    ...{ type: 'xy', shape: 'chronograf-v2', note: '', showNoteWhenEmpty: false, axes: {} },
    ...{ colors: [], legend: {}, geom: 'line', xColumn: '_time', yColumn: '_value' },
    ...{ position: 'overlaid', queries: [{ text, editMode: 'advanced', name: '' }] },
  }
}

// How long pages take to open, in a real Chromium: until the explorer can be used and until it is seen, with an empty
// cache and with a full one, a dashboard of twelve cells with 42 series, and the heap of the explorer with a chart. Of
// each the best of some rounds: the machine is shared. Needs a build and Debian's Chromium.

import type { BrowserContext } from 'playwright-core'
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
  const explorer = { address: `${url}/explore?b=sensors`, usable: '.tree-item', count: 1 }
  const cold = await opened(context, explorer)
  const warm = await opened(context, explorer)
  const charted = await opened(context, {
    ...{ address: `${url}/${chart}`, usable: '.graph-canvas canvas', count: 1 },
  })
  const cells = await opened(context, {
    ...{ address: `${url}/dashboards/${board}?r=6h`, usable: '.graph-canvas canvas' },
    count: cellCount,
  })
  return {
    'explorer until usable, ms of thread': warm.thread,
    'explorer seen, cold cache, ms': cold.seen,
    'explorer seen, warm cache, ms': warm.seen,
    'dashboard of 12 cells, ms of thread': cells.thread,
    'heap of the explorer, MB': charted.heapBytes / 1e6,
  }
}

interface Opening {
  readonly address: string
  /** It can be used when so many of these are there. */
  readonly usable: string
  readonly count: number
}

interface Opened {
  /** Of the page's thread, until it can be used. */
  readonly thread: number
  /** From the beginning of the navigation until the frame with the heading is drawn. */
  readonly seen: number
  readonly heapBytes: number
}

/** The page itself tells: to be asked again and again would be work for its thread. */
async function opened(context: BrowserContext, opening: Opening): Promise<Opened> {
  const page = await context.newPage()
  const told = (name: string) =>
    new Promise<number>((resolve) => {
      void page.exposeBinding(name, (_, at: number) => resolve(at))
    })
  const [isUsable, isSeen] = [told('toldUsable'), told('toldSeen')]
  // What a frame has drawn is seen when the first task after it runs.
  await page.addInitScript(`{
    let hasHeading = false
    const drawn = new MessageChannel()
    drawn.port1.onmessage = () => toldSeen(performance.now())
    const look = new MutationObserver(() => {
      if (!hasHeading && document.querySelector('h1') !== null) {
        hasHeading = true
        requestAnimationFrame(() => drawn.port2.postMessage(undefined))
      }
      if (document.querySelectorAll('${opening.usable}').length < ${opening.count}) return
      look.disconnect()
      toldUsable(performance.now())
    })
    look.observe(document, { childList: true, subtree: true })
  }`)
  const session = await watchThread(page)
  // Counted anew with each document.
  await page.goto(opening.address, { waitUntil: 'commit' })
  await isUsable
  const thread = await threadMs(session)
  const seen = await isSeen
  await page.waitForTimeout(settleMs)
  await session.send('HeapProfiler.collectGarbage')
  const heapBytes = await metric(session, 'JSHeapUsedSize')
  await page.close()
  return { thread, seen, heapBytes }
}

const settleMs = 500
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

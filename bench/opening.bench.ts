// How long pages take to open, in a real Chromium: until the explorer can be used and until it is seen, a dashboard of
// twelve cells with 42 series, and the heap of the explorer with a chart. Cold is a browser that has nothing of the
// pages; all else is that of somebody who was there some times: a profile in a folder of its own, in which Chromium
// keeps the files and, from the second or third visit on, the code that it has made of them. Windows without a profile
// keep no such code. Of each the best of some rounds: the machine is shared. Needs a build and Debian's Chromium.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext } from 'playwright-core'
import { chromiumPath, isBuilt, startProfile, Watch } from '../test/ui/browser.js'
import { type SignedIn, signIn, startSignedIn } from '../test/ui/signed-in.js'
import type { Figures } from './cpu-data.js'
import { metric, threadMs, watchThread } from './page-thread.js'

const chart = 'explore?b=sensors&r=6h&m=room'

const sizes = { small: { rounds: 1, visits: 1 }, large: { rounds: 7, visits: 4 } } as const

const window = { viewport: { width: 1280, height: 1600 }, reducedMotion: 'reduce' } as const

export async function run(size: keyof typeof sizes): Promise<Figures> {
  if (chromiumPath === undefined || !isBuilt) {
    return { name: 'opening', figures: {}, check: 'skipped: no Chromium, or no build' }
  }
  const { rounds, visits } = sizes[size]
  const signedIn = await startSignedIn()
  try {
    const cold = await coldFigures(signedIn, rounds)
    const warm = await warmFigures(signedIn, rounds, visits)
    signedIn.watch.expectNothing()
    const check = `${rounds} rounds, warm after ${visits} visits`
    return { name: 'opening', figures: { ...warm, ...cold }, check }
  } finally {
    await signedIn.close()
  }
}

async function coldFigures(ui: SignedIn, rounds: number): Promise<Record<string, number>> {
  const storageState = await ui.context.storageState()
  const rows: Record<string, number>[] = []
  for (let i = 0; i < rounds; i++) {
    // A context of its own has an empty cache.
    const context = await ui.context.browser()!.newContext({ ...window, storageState })
    try {
      const { thread, seen } = await opened(context, explorer(ui))
      rows.push({
        'explorer cold, ms of thread': thread,
        'explorer seen, cold cache, ms': seen,
      })
    } finally {
      await context.close()
    }
  }
  return best(rows)
}

async function warmFigures(
  ui: SignedIn,
  rounds: number,
  visits: number,
): Promise<Record<string, number>> {
  const board = await makeBoard(ui)
  const folder = await mkdtemp(join(tmpdir(), 'millrace-profile-'))
  try {
    const context = await startProfile(folder, window)
    try {
      const watch = new Watch(context, ui.program.url)
      const page = await context.newPage()
      await signIn(page, ui.program.url)
      await page.close()
      for (let i = 0; i < visits; i++) await round(context, ui, board)
      const rows: Record<string, number>[] = []
      for (let i = 0; i < rounds; i++) rows.push(await round(context, ui, board))
      watch.expectNothing()
      return best(rows)
    } finally {
      await context.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

function best(rows: readonly Record<string, number>[]): Record<string, number> {
  return Object.fromEntries(
    Object.keys(rows[0]).map((name) => [name, Math.min(...rows.map((row) => row[name]))]),
  )
}

async function round(context: BrowserContext, ui: SignedIn, board: string) {
  const { url } = ui.program
  const { thread, seen, usable } = await opened(context, explorer(ui))
  const charted = await opened(context, {
    ...{ address: `${url}/${chart}`, usable: '.graph-canvas canvas', count: 1 },
  })
  const cells = await opened(context, {
    ...{ address: `${url}/dashboards/${board}?r=6h`, usable: '.graph-canvas canvas' },
    count: cellCount,
  })
  return {
    'explorer until usable, ms of thread': thread,
    'explorer seen, warm cache, ms': seen,
    'explorer usable, warm cache, ms': usable,
    'dashboard of 12 cells, ms of thread': cells.thread,
    'heap of the explorer, MB': charted.heapBytes / 1e6,
  }
}

function explorer({ program: { url } }: SignedIn): Opening {
  return { address: `${url}/explore?b=sensors`, usable: '.tree-item', count: 1 }
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
  /** From that beginning until it can be used. */
  readonly usable: number
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
  const usable = await isUsable
  const thread = await threadMs(session)
  const seen = await isSeen
  await page.waitForTimeout(settleMs)
  await session.send('HeapProfiler.collectGarbage')
  const heapBytes = await metric(session, 'JSHeapUsedSize')
  await page.close()
  return { thread, seen, usable, heapBytes }
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

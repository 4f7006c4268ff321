// A million points in the explorer, in a real Chromium: one series, ten and a hundred, as Flux, InfluxQL and SQL answer
// them. Told is CPU time of the page's own thread: from *Run* until the chart is drawn, of that what the drawing takes
// (from the worker's answer on, by Chromium's own record of its tasks), and each step of the pointer while the chart is
// moved. How long pages take to open is `opening.bench.ts`. Needs a build and Debian's Chromium.

import type { CDPSession, Page } from 'playwright-core'
import { chromiumPath, isBuilt } from '../test/ui/browser.js'
import { type SignedIn, startSignedIn } from '../test/ui/signed-in.js'
import type { Figures } from './cpu-data.js'
import { quietThreadMs, threadMs, watchThread } from './page-thread.js'

const sizes = { small: 20_000, large: 1_000_000 } as const
const seriesCounts = { small: [10], large: [1, 10, 100] } as const
const panSteps = 20
const hour = 3_600_000
/** A million points of one series end before now. */
const start = Math.floor(Date.now() / hour) * hour - 48 * hour
const stepMs = 100

export async function run(size: keyof typeof sizes): Promise<Figures> {
  if (chromiumPath === undefined || !isBuilt) {
    return { name: 'page', figures: {}, check: 'skipped: no Chromium, or no build' }
  }
  const signedIn = await startSignedIn()
  try {
    const points = sizes[size]
    const counts = seriesCounts[size]
    for (const count of counts) await load(signedIn, count, points)
    return await measure(signedIn, counts, points)
  } finally {
    await signedIn.close()
  }
}

async function load({ write }: SignedIn, seriesCount: number, points: number): Promise<void> {
  const rows = points / seriesCount
  let lines: string[] = []
  for (let i = 0; i < rows; i++) {
    for (let s = 0; s < seriesCount; s++) {
      const value = (50 + 40 * Math.sin(i / 9000 + s) + ((i * 7919 + s) % 101) / 20).toFixed(2)
      lines.push(`m${seriesCount},s=s${s} v=${value} ${start + i * stepMs}000000`)
    }
    if (lines.length < 20_000 && i < rows - 1) continue
    await write(lines.join('\n'))
    lines = []
  }
}

async function measure(
  signedIn: SignedIn,
  counts: readonly number[],
  points: number,
): Promise<Figures> {
  const figures: Record<string, number> = {}
  const { page, program, watch } = signedIn
  const session = await watchThread(page)
  let drawn = 0
  for (const count of counts) {
    const rows = points / count
    const texts = {
      influxql: `SELECT v FROM m${count} WHERE $timeFilter GROUP BY s`,
      flux: `from(bucket: "sensors") |> range(start: v.timeRangeStart, stop: v.timeRangeStop)
        |> filter(fn: (r) => r._measurement == "m${count}")`,
      sql: `SELECT time, s, v FROM m${count} WHERE time >= $from AND time < $to`,
    }
    for (const [language, text] of Object.entries(texts)) {
      const range = `${start}..${start + rows * stepMs}`
      const asked = new URLSearchParams({ l: language, q: text, b: signedIn.bucketId, r: range })
      await page.goto(`${program.url}/explore?${asked}`)
      const name = `${count} x ${rows} ${language}`
      const { whole, drawing } = await firstDrawing(page, session, count)
      figures[`${name}: from Run, ms`] = whole
      figures[`${name}: first drawing, ms`] = drawing
      figures[`${name}: pan, ms`] = await panning(page, session)
      drawn++
    }
  }
  watch.expectNothing()
  return { name: 'page', figures, check: `${drawn} charts` }
}

const categories = ['devtools.timeline', 'disabled-by-default-devtools.timeline']

/** The question is asked once more: by then the page and its code are there. */
async function firstDrawing(page: Page, session: CDPSession, count: number) {
  const chart = page.getByRole('img', {
    name: count === 1 ? /^One series/ : /^\d+ series/,
  })
  await chart.waitFor({ timeout: 120_000 })
  await page.waitForTimeout(500)
  const browser = page.context().browser()!
  await browser.startTracing(page, { categories })
  const before = await threadMs(session)
  await page.getByRole('button', { name: 'Run' }).click()
  const whole = (await quietThreadMs(page, session)) - before
  return { whole, drawing: sinceAnswer(await browser.stopTracing()) }
}

/** What Chromium writes down: times in microseconds, `tdur` of the thread's own clock. */
interface Traced {
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly tdur?: number
}

/** Of all tasks of the page's thread, its process's first, since another thread posted last: the worker its answer. */
function sinceAnswer(trace: Buffer): number {
  const { traceEvents: all } = JSON.parse(trace.toString()) as { traceEvents: Traced[] }
  const posted = all.filter(({ name, pid, tid }) => name === 'SchedulePostMessage' && pid !== tid)
  const { pid: page, ts } = posted.reduce((last, event) => (event.ts > last.ts ? event : last))
  const tasks = all.filter(({ name, pid, tid }) => {
    return name === 'RunTask' && pid === page && tid === page
  })
  const since = tasks.filter((task) => task.ts >= ts)
  return since.reduce((sum, { tdur = 0 }) => sum + tdur, 0) / 1000
}

/** Of one step: the pointer moves with shift held, and the chart with it. */
async function panning(page: Page, session: CDPSession): Promise<number> {
  const box = (await page.locator('.graph-canvas .u-over').boundingBox())!
  const y = box.y + box.height / 2
  await page.mouse.move(box.x + box.width / 2, y)
  await page.keyboard.down('Shift')
  await page.mouse.down()
  await page.mouse.move(box.x + box.width / 2 + 2, y)
  const before = await threadMs(session)
  for (let i = 1; i <= panSteps; i++) {
    await page.mouse.move(box.x + box.width / 2 + 2 + i * 4, y)
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => resolve(0)))')
  }
  const spent = (await threadMs(session)) - before
  await page.mouse.move(box.x + box.width / 2, y)
  await page.mouse.up()
  await page.keyboard.up('Shift')
  return spent / panSteps
}

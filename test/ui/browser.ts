// A real browser against the real program: starts both, and watches every page for what must never happen: errors in
// the console, refusals by the page's own policy, requests to other hosts. Debian's Chromium; without it these tests
// say that they are skipped.

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'

const executables = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
export const chromiumPath = executables.find((path) => existsSync(path))

const program = new URL('../../dist/main.js', import.meta.url).pathname
export const isBuilt = existsSync(new URL('../../dist/ui/manifest.json', import.meta.url).pathname)

export interface Program {
  readonly url: string
  stop(): Promise<void>
}

export async function startProgram(args: readonly string[] = []): Promise<Program> {
  const child = spawn(
    process.execPath,
    [program, 'serve', '--memory', '--http-address', '127.0.0.1:0', ...args],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const url = await listening(child)
  const stop = () =>
    new Promise<void>((resolve) => {
      child.once('close', () => resolve())
      child.kill('SIGTERM')
    })
  return { url, stop }
}

function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stdout?.on('data', (chunk) => {
      said += chunk
      const found = /Listening on (\S+)/.exec(said)
      if (found !== null) resolve(found[1])
    })
    child.once('close', () => reject(new Error(`the program ended: ${said}`)))
  })
}

const launched = {
  executablePath: chromiumPath!,
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
}

export async function startBrowser(): Promise<Browser> {
  const { chromium } = await import('playwright-core')
  return chromium.launch(launched)
}

/** A browser with one window, which keeps in this folder what browsers keep of people's visits. */
export async function startProfile(
  folder: string,
  options: BrowserContextOptions,
): Promise<BrowserContext> {
  const { chromium } = await import('playwright-core')
  return chromium.launchPersistentContext(folder, { ...launched, ...options })
}

/** A window of a desk; nothing moves on its way to where it belongs, so that nobody waits for that. */
export function newContext(
  browser: Browser,
  permissions: readonly string[] = [],
): Promise<BrowserContext> {
  return browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    permissions: [...permissions],
  })
}

/** What went wrong on the pages of a context, in the order in which it did. */
export class Watch {
  readonly #problems: string[] = []
  readonly #allowed = new Set<number>()
  #mayBeOffline = false

  constructor(context: BrowserContext, origin: string) {
    context.on('page', (page) => this.#follow(page))
    context.on('request', (request) => {
      const url = request.url()
      const isOwn = url.startsWith(origin) || /^(data|blob):/.test(url)
      if (!isOwn) this.#problems.push(`asked another host: ${url}`)
    })
  }

  /** Answers with this status are meant, and what the console says of them. */
  allow(...statuses: readonly number[]): void {
    for (const status of statuses) this.#allowed.add(status)
  }

  /** Requests without an answer are meant. */
  allowOffline(): void {
    this.#mayBeOffline = true
  }

  expectNothing(): void {
    expect(this.#problems).toEqual([])
  }

  #follow(page: Page): void {
    page.on('pageerror', (error) => this.#problems.push(`error: ${error.message}`))
    page.on('console', (message) => {
      if (message.type() !== 'error') return
      const status = Number(/responded with a status of (\d+)/.exec(message.text())?.[1])
      const isOffline = /ERR_INTERNET_DISCONNECTED/.test(message.text())
      if (isOffline && this.#mayBeOffline) return
      if (!this.#allowed.has(status)) this.#problems.push(`console: ${message.text()}`)
    })
  }
}

/** Both take seconds to start where other tests run beside them. */
export const startTimeoutMs = 60_000

const require = createRequire(import.meta.url)
const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Nothing that axe knows to be wrong, in the theme that is on. What it thinks best beyond the standard is asked of
 * pages and not of dialogs, which the kit hangs beside all landmarks.
 */
export async function expectAccessible(page: Page): Promise<void> {
  // Half a megabyte of program: once for each page that is loaded.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axeSource)
  // What is still fading in has too little contrast for a moment; what was just added begins to with the next frame.
  await page.evaluate(
    'new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))',
  )
  await page.evaluate(
    `Promise.all(document.getAnimations()
      .filter((each) => Number.isFinite(each.effect.getComputedTiming().endTime))
      .map((each) => each.finished.catch(() => undefined)))`,
  )
  const isDialog = (await page.getByRole('dialog').count()) > 0
  const rules = [
    'wcag2a',
    'wcag2aa',
    'wcag21aa',
    'wcag22aa',
    ...(isDialog ? [] : ['best-practice']),
  ]
  // As text: this project's types know no window.
  const { violations } = (await page.evaluate(
    `axe.run({ runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] })`,
  )) as AxeResult
  const findings = violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`,
  )
  expect(findings).toEqual([])
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly html: string }[]
  }[]
}

const pictures = process.env.MILLRACE_SCREENSHOTS
export const takesPictures = pictures !== undefined

const toastsAre = (visibility: string) =>
  `for (const area of document.querySelectorAll('.toasts')) area.style.visibility = '${visibility}'`
const phone = { width: 390, height: 844 }
/** Of a page that goes on below the window no more is shown than this. */
const pictureHeightMax = 2400

/** Kept only where a folder for them is named. */
export async function picture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return
  mkdirSync(pictures, { recursive: true })
  const size = page.viewportSize()!
  // Messages of what was done before are not of the page.
  await page.evaluate(toastsAre('hidden'))
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await shoot(page, `${pictures}/${name}-${colorScheme}.png`)
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await wholePicture(page, size, `${pictures}/${name}-whole.png`)
  await page.setViewportSize(phone)
  await shoot(page, `${pictures}/${name}-phone.png`)
  await wholePicture(page, phone, `${pictures}/${name}-phone-whole.png`)
  await page.setViewportSize(size)
  await page.evaluate(toastsAre('visible'))
}

/** What is changing its colour or its place has done so. */
async function shoot(page: Page, path: string): Promise<void> {
  await page.screenshot({ path, animations: 'disabled' })
}

/** Where it does not fit into the window: as if that were higher. */
async function wholePicture(
  page: Page,
  { width, height }: { readonly width: number; readonly height: number },
  path: string,
): Promise<void> {
  const hidden = (await page.evaluate(
    "(([main]) => main ? main.scrollHeight - main.clientHeight : 0)(document.querySelectorAll('#main'))",
  )) as number
  if (hidden < 8) return
  await page.setViewportSize({ width, height: Math.min(height + hidden, pictureHeightMax) })
  await shoot(page, path)
}

/** On a phone nothing is wider than the window. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const size = page.viewportSize()!
  await page.setViewportSize({ width: 390, height: 844 })
  const width = await page.evaluate('document.documentElement.scrollWidth')
  await page.setViewportSize(size)
  expect(width).toBeLessThanOrEqual(390)
}

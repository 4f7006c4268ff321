// Pages as those who do not see them get them: the tree of roles and names, compared with a text file. What differs
// from run to run is left out: ids, dates and times of the day, how long ago something was, how large, and every
// number, which is a nought.
// `MILLRACE_REWRITE=1` writes the trees that came.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { Locator } from 'playwright-core'
import { expect, vi } from 'vitest'

/** Figures and lists of a page come when the page is there already. */
const settledMs = 15_000
const beginMs = 2000

const date = /\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w* \d+(?:, \d{4})?/
const timeOfDay = /\d+:\d{2}(?::\d{2})?(?:\s[AP]M)?/
const dateAndTime = new RegExp(`${date.source}(?:, ${timeOfDay.source})?`, 'g')

export async function expectTree(of: Locator, name: string): Promise<void> {
  const path = new URL(`trees/${name}.txt`, import.meta.url).pathname
  const isNew = process.env.MILLRACE_REWRITE === '1'
  if (isNew) writeFileSync(path, await settledTree(of))
  expect(existsSync(path), `${path} is missing: write it with MILLRACE_REWRITE=1`).toBe(true)
  const wanted = readFileSync(path, 'utf8')
  await vi.waitFor(async () => expect(await treeOf(of)).toBe(wanted), { timeout: settledMs })
}

async function treeOf(of: Locator): Promise<string> {
  const tree = await of.ariaSnapshot()
  const same = tree
    .replace(/\b[0-9a-f]{16}\b/g, 'id')
    .replace(dateAndTime, 'a date')
    .replace(/\b(?:\d+ \w+ ago|in \d+ \w+|(?:just )?now|yesterday)\b/g, 'lately')
    .replace(/\d+(?:[.,:]\d+)*/g, '0')
    // A task may have run at the full hour, or none yet.
    .replace(/ lately (kept by the service)/g, ' $1')
    .replace(/- cell "lately"(\n\s*- cell\n\s*- cell "kept by the service")/g, '- cell$1')
    .replace(/0 (?:k|M)B\b/g, '0 B')
    .replace(/(?:…|0) \/ s\b/g, '0 / s')
  return `${same}\n`
}

/** Twice the same, half a second apart, once the page has had time to begin. */
async function settledTree(of: Locator): Promise<string> {
  await setTimeout(beginMs)
  let tree = await treeOf(of)
  await vi.waitFor(
    async () => {
      const before = tree
      tree = await treeOf(of)
      expect(tree).toBe(before)
    },
    { timeout: settledMs, interval: 500 },
  )
  return tree
}

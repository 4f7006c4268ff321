// Every template of a folder: applied as InfluxDB's command line tool does it, exported by its stack and
// by kinds, and applied to another organization, which must then hold the same. The folder is our own
// corpus, or the one that MILLRACE_TEMPLATES names, such as a copy of the community's templates:
//
//   MILLRACE_TEMPLATES=/tmp/community-templates npx vitest run test/api/template-folder.test.ts

import { basename, dirname, relative } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect, it } from 'vitest'
import { caller, type Installation, install } from './harness.js'
import {
  applyBody,
  decodeProblems,
  type Entry,
  readEntries,
  templateFiles,
} from './template-client.js'

const folder = process.env.MILLRACE_TEMPLATES ?? `${import.meta.dirname}/../corpus/templates`
const files = templateFiles(folder)

it(`applies, exports and applies again ${files.length} templates`, {
  timeout: 600_000,
}, async () => {
  const place = await install()
  const failures: string[] = []
  for (const file of files) {
    const failure = await tried(() => roundTrip(place, file))
    if (failure !== undefined) failures.push(`${relative(folder, file)}: ${failure}`)
  }
  console.log(`${files.length - failures.length} of ${files.length} templates in ${folder}`)
  expect(failures).toEqual([])
  expect(files.length).toBeGreaterThan(0)
})

async function tried(run: () => Promise<void>): Promise<string | undefined> {
  try {
    await run()
    return undefined
  } catch (error) {
    const { message, actual, expected } = error as Error & { actual?: unknown; expected?: unknown }
    return `${message}\n${firstDifference(actual, expected)}`.slice(0, 3000)
  }
}

/** Where two values part, as a path and both sides. */
function firstDifference(actual: unknown, expected: unknown, path = ''): string {
  if (isDeepStrictEqual(actual, expected)) return ''
  const sides = [actual, expected].map((side) => (isObject(side) ? side : undefined))
  const keys = sides.flatMap((side) => Object.keys(side ?? {}))
  const key = keys.find((name) => !isDeepStrictEqual(sides[0]?.[name], sides[1]?.[name]))
  if (key !== undefined && sides.every((side) => side !== undefined)) {
    return firstDifference(sides[0]?.[key], sides[1]?.[key], `${path}/${key}`)
  }
  return `${path}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

async function roundTrip(place: Installation, file: string): Promise<void> {
  const name = `${basename(dirname(file))} ${basename(file)}`
  const entries = readEntries(file)
  const first = await organization(place, `${name} first`)
  const second = await organization(place, `${name} second`)

  const stackID = await applied(place, first, name, entries)
  const exported = await exportedFrom(place, { stackID, resources: null })
  expect(exported.map(keyOf).sort()).toEqual(entries.map(keyOf).sort())
  await unchanged(place, first, name, exported, stackID)

  const otherStack = await applied(place, second, name, exported)
  expect(await exportedFrom(place, { stackID: otherStack })).toEqual(exported)
  const shown = await views(place, first)
  expect(await views(place, second)).toEqual(shown)
  expect(shown).toHaveLength(entries.flatMap(({ spec }) => spec?.charts ?? []).length)

  const everything = { orgIDs: [{ orgID: second }], resources: null }
  const all = await exportedFrom(place, everything)
  expect(all.map(shownOf).sort()).toEqual(exported.map(shownOf).sort())
  for (const [org, stack] of [[first, stackID] as const, [second, otherStack] as const]) {
    const removed = await caller(place)('DELETE', `/api/v2/stacks/${stack}?orgID=${org}`)
    expect(removed.status).toBe(204)
    expect(await exportedFrom(place, { orgIDs: [{ orgID: org }] })).toEqual([])
  }
}

async function organization(place: Installation, name: string): Promise<string> {
  const made = await caller(place)('POST', '/api/v2/orgs', { name })
  expect(made.status).toBe(201)
  return made.json.id
}

/** First as a dry run, as the tool does it. */
async function applied(
  place: Installation,
  orgID: string,
  name: string,
  entries: readonly Entry[],
): Promise<string> {
  const body = applyBody(orgID, name, entries)
  for (const dryRun of [true, false]) {
    const answer = await caller(place)('POST', '/api/v2/templates/apply', { ...body, dryRun })
    expect(answer.status, answer.json.message).toBe(dryRun ? 200 : 201)
    expect(decodeProblems(answer.json)).toEqual([])
    const { labelMappings: _mappings, ...sections } = answer.json.diff
    expect(Object.values(sections).flat()).toHaveLength(entries.length)
    if (!dryRun) return answer.json.stackID
  }
  return ''
}

/** What was exported says nothing new. */
async function unchanged(
  place: Installation,
  orgID: string,
  name: string,
  entries: readonly Entry[],
  stackID: string,
): Promise<void> {
  const body = { ...applyBody(orgID, name, entries), stackID }
  const answer = await caller(place)('POST', '/api/v2/templates/apply', body)
  expect(answer.status, answer.json.message).toBe(201)
  const { labelMappings: _mappings, ...sections } = answer.json.diff
  for (const item of Object.values(sections).flat() as Record<string, unknown>[]) {
    expect([item.stateStatus, item.new]).toEqual(['exists', item.old])
  }
}

async function exportedFrom(place: Installation, body: object): Promise<Entry[]> {
  const answer = await caller(place)('POST', '/api/v2/templates/export', body)
  expect(answer.status, answer.json.message).toBe(200)
  return answer.json
}

function keyOf({ kind, metadata }: Entry): string {
  return `${kind} ${metadata.name}`
}

function shownOf({ kind, spec }: Entry): string {
  return `${kind} ${spec?.name}`
}

/** The views of all dashboards of an organization, without their ids. */
async function views(place: Installation, orgID: string): Promise<unknown[]> {
  const list = await caller(place)('GET', `/api/v2/dashboards?orgID=${orgID}&limit=100`)
  const found: unknown[] = []
  for (const { id, name } of list.json.dashboards) {
    const one = await caller(place)('GET', `/api/v2/dashboards/${id}?include=properties`)
    for (const { id: _id, viewID: _view, links: _links, ...cell } of one.json.cells) {
      expect(cell.properties).toMatchObject({ shape: 'chronograf-v2' })
      found.push([name, cell])
    }
  }
  return found
}

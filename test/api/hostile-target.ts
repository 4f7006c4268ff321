// A server with one of everything, for input that nobody means well with: its routes as the API
// document has them, and a client that notes whatever an answer should not be.

import { expect } from 'vitest'
import { errorCodes } from '../../src/errors.js'
import { everythingIn } from './access-requests.js'
import { makeEverything } from './everything.js'
import { type Answer, install, type SendOptions, send } from './harness.js'
import type { Known, Schema } from './hostile-input.js'

export interface Route {
  readonly method: string
  readonly path: string
  readonly schema: Schema | undefined
}

/** A server with one of everything, its routes, and what it logged as its own fault. */
export interface Target {
  readonly url: string
  readonly token: string
  readonly orgId: string
  readonly routes: readonly Route[]
  readonly known: Known
  /** The path with ids of things that exist. */
  concrete(path: string): string
  readonly wrong: string[]
  /** Sends, and notes what is wrong with the answer. */
  attack(path: string, options: SendOptions): Promise<Answer>
  finish(): Promise<void>
}

/**
 * Who sends it all: somebody who may do anything, or the owner of one organization, who gets as far
 * as the routes themselves but not everywhere.
 */
export type Attacker = 'operator' | 'owner'

export const attackers: readonly Attacker[] = ['operator', 'owner']

export async function makeTarget(attacker: Attacker = 'operator'): Promise<Target> {
  const wrong: string[] = []
  const installed = await install({
    log: (level, message, details) => {
      if (level === 'error') wrong.push(`${message}: ${text(details)}`)
    },
  })
  const { url, orgId } = installed
  const token =
    attacker === 'operator' ? installed.token : await installed.addToken(everythingIn(orgId))
  const routes = await routesOf(url)
  const ids = await makeEverything(installed)
  const known: Known = { orgID: orgId, org: 'o', bucketID: ids.buckets, labelID: ids.labels }
  const attack = async (path: string, options: SendOptions) => {
    const answer = await send(`${url}${path}`, { token, ...options })
    for (const problem of problemsOf(path, answer)) {
      const sent = text(options.body).slice(0, 200)
      wrong.push(`${options.method} ${path.slice(0, 200)} ${sent}: ${problem}`)
    }
    return answer
  }
  const concrete = (path: string) => {
    const plural = path.split('/').findLast((word) => ids[word] !== undefined) ?? ''
    const first = /^\/(?:api\/v2|private)?\/?(\w+)/.exec(path)?.[1] ?? ''
    const below: Known = {
      labelID: ids.labels,
      userID: ids.users,
      cellID: ids.cells,
      runID: ids.runs,
      backfillID: ids.backfills,
      measurementID: ids.measurements,
    }
    const own = ids[first] ?? ids[plural] ?? orgId
    return path.replace(/\{(\w+)\}/g, (_, name) => (name === 'id' ? own : (below[name] ?? own)))
  }
  const finish = async () => {
    expect(wrong.slice(0, 20)).toEqual([])
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    expect((await send(`${url}/health`)).status).toBe(200)
    expect((await installed.write('m f=1 1')).status).toBe(204)
    // A scraper says by itself that its target is down.
    const lines = (await installed.lines()).filter((line) => !/^(?:up|scrape_)/.test(line))
    expect(lines).toEqual(['m f=1 1'])
  }
  return { url, token, orgId, routes, known, concrete, wrong, attack, finish }
}

/** Right answers there would end the test: another token in the place of the operator's, writes held back. */
const endsAttack = ['/api/v3/configure/token/admin/regenerate', '/api/v2/writes/hold']

async function routesOf(url: string): Promise<Route[]> {
  const { json } = await send(`${url}/api/v2/swagger.json`)
  const routes: Route[] = []
  for (const [path, operations] of Object.entries<Record<string, Operation>>(json.paths)) {
    if (endsAttack.includes(path)) continue
    for (const [method, { requestBody }] of Object.entries(operations)) {
      const schema = requestBody?.content['application/json'].schema
      routes.push({ method: method.toUpperCase(), path, schema })
    }
  }
  return routes
}

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> }
}

function text(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`
  if (value instanceof Error) return value.stack ?? value.message
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([key, inner]) => `${key}=${text(inner)}`)
    .join(' ')
}

/** Backups are archives, whatever else the request says. */
const plainTypes = [
  'text/plain',
  'text/html',
  'application/toml',
  'application/x-tar',
  'application/octet-stream',
  'multipart/mixed',
]

function problemsOf(path: string, answer: Answer): string[] {
  const { status, headers, json } = answer
  const problems: string[] = []
  if (status >= 500 && status !== 501) problems.push(`status ${status} ${answer.text}`)
  if (status >= 400) {
    // Those of v1 and v3 have an `error`, ours a code and a message.
    const hasError = /^\/(write|query|api\/v3\/[a-z_]+)\/?(\?|$)/.test(path)
    if (hasError && typeof json?.error !== 'string') problems.push(`error of ${answer.text}`)
    if (!hasError && !Object.hasOwn(errorCodes, json?.code)) problems.push(`code of ${answer.text}`)
    if (!hasError && typeof json?.message !== 'string') problems.push(`message of ${answer.text}`)
    const leak = /\n\s+at |node:|\.[jt]s:\d+|SQLITE|sqlite|Cannot read prop/.exec(answer.text)
    if (leak !== null) problems.push(`tells of its inside: ${leak[0]} ${answer.text}`)
  } else if (answer.text === '') {
    if (status !== 204) problems.push(`nothing with ${status}`)
  } else if (json === undefined) {
    const type = headers['content-type'] ?? 'none'
    if (!plainTypes.some((plain) => type.startsWith(plain))) problems.push(`type ${type}`)
  }
  if ('x-injected' in headers) problems.push('a header that the client chose')
  return problems
}

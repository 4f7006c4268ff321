// A server with one of everything, for input that nobody means well with: its routes as the API
// document has them, and a client that notes whatever an answer should not be.

import { expect } from 'vitest'
import { errorCodes } from '../../src/errors.js'
import { type Answer, type Installation, install, type SendOptions, send } from './harness.js'
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

export async function makeTarget(): Promise<Target> {
  const wrong: string[] = []
  const installed = await install({
    log: (level, message, details) => {
      if (level === 'error') wrong.push(`${message}: ${text(details)}`)
    },
  })
  const { url, token, orgId } = installed
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
    const below: Known = { labelID: ids.labels, userID: ids.users, cellID: ids.cells }
    const own = ids[first] ?? ids[plural] ?? orgId
    return path.replace(/\{(\w+)\}/g, (_, name) => (name === 'id' ? own : (below[name] ?? own)))
  }
  const finish = async () => {
    expect(wrong.slice(0, 20)).toEqual([])
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    expect((await send(`${url}/health`)).status).toBe(200)
    expect((await installed.write('m f=1 1')).status).toBe(204)
    expect(await installed.lines()).toEqual(['m f=1 1'])
  }
  return { url, token, orgId, routes, known, concrete, wrong, attack, finish }
}

async function routesOf(url: string): Promise<Route[]> {
  const { json } = await send(`${url}/api/v2/swagger.json`)
  const routes: Route[] = []
  for (const [path, operations] of Object.entries<Record<string, Operation>>(json.paths)) {
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

const permissions = [{ action: 'read', resource: { type: 'buckets' } }]

/** The id of one resource of each kind, by its plural. */
async function makeEverything(installed: Installation): Promise<Record<string, string>> {
  const { url, token, orgId: orgID, bucketId: bucketID } = installed
  const ids: Record<string, string> = {}
  const make = async (path: string, body: object, plural = path) => {
    const target = path.startsWith('/') ? path : `/api/v2/${path}`
    const answer = await send(`${url}${target}`, {
      method: 'POST',
      token,
      body: JSON.stringify({ orgID, ...body }),
    })
    expect(answer.status, `${path} ${answer.text}`).toBe(201)
    ids[plural] = answer.json.id ?? answer.json.label?.id
  }
  const flux = 'option task = {name: "t", every: 1h}\nfrom(bucket: "b") |> range(start: -1h)'
  const named = { name: 'one', description: 'd' }
  // What is attacked may change or go: never what the attack itself stands on.
  await make('orgs', { name: 'victim' })
  await make('users', { name: 'victim' })
  await make('authorizations', { permissions })
  await make('/legacy/authorizations', { token: 'login', permissions }, 'legacy')
  ids.private = ids.legacy
  await make('buckets', { name: 'explicit', schemaType: 'explicit' })
  await make('labels', { ...named, properties: { color: 'red' } })
  await make('dashboards', named)
  await make(`dashboards/${ids.dashboards}/cells`, { x: 1, y: 1, w: 1, h: 1 }, 'cells')
  await make('variables', { ...named, arguments: { type: 'constant', values: ['a'] } })
  await make('tasks', { flux })
  await make('scripts', { ...named, script: 'from(bucket: "b")', language: 'flux' })
  await make('telegrafs', { ...named, config: '[[inputs.cpu]]' })
  await make('sources', { name: 'one', type: 'v1', url: 'http://127.0.0.1:9' })
  const http = { type: 'http', url: 'http://127.0.0.1:9', method: 'POST', authMethod: 'none' }
  await make('notificationEndpoints', { ...named, ...http, status: 'active' })
  const threshold = { type: 'greater', level: 'CRIT', value: 1 }
  const query = { text: 'from(bucket: "b") |> range(start: -1h)' }
  const check = { type: 'threshold', status: 'active', every: '1m', thresholds: [threshold] }
  await make('checks', { ...named, ...check, query, statusMessageTemplate: 'm' })
  const statusRules = [{ currentLevel: 'CRIT' }]
  const rule = { type: 'http', status: 'active', every: '1m', statusRules, tagRules: [] }
  await make('notificationRules', { ...named, ...rule, endpointID: ids.notificationEndpoints })
  await make('stacks', { ...named, urls: [] })
  await make('dbrps', { bucketID, database: 'd', retention_policy: 'p' })
  return ids
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

const plainTypes = ['text/plain', 'text/html', 'application/toml']

function problemsOf(path: string, answer: Answer): string[] {
  const { status, headers, json } = answer
  const problems: string[] = []
  if (status >= 500 && status !== 501) problems.push(`status ${status} ${answer.text}`)
  if (status >= 400) {
    const isV1 = /^\/write\/?(\?|$)/.test(path)
    if (isV1 && typeof json?.error !== 'string') problems.push(`v1 error ${answer.text}`)
    if (!isV1 && !Object.hasOwn(errorCodes, json?.code)) problems.push(`code of ${answer.text}`)
    if (!isV1 && typeof json?.message !== 'string') problems.push(`message of ${answer.text}`)
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

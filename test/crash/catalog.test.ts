// The real program killed while its catalog changes, again and again on one folder: what was
// answered is there (or gone), and nothing is left of what belonged to something that is gone. And
// several clients that want one name at once: one of them gets it.

import { expect, it } from 'vitest'
import { catalogFiles } from '../../src/catalog/base/sealed-log.js'
import { copyFiles } from '../../src/platform/read-only-folder.js'
import { connect } from '../../src/platform/sqlite.js'
import { type Answer, send, temporaryFolder } from '../api/client.js'
import { serve, setUp } from './server-process.js'

const kills = 5
const permissions = [{ action: 'read', resource: { type: 'buckets' } }]

interface Access {
  readonly token: string
  readonly orgID: string
}

/** What one client made and deleted, one request after the other. */
class Changer {
  readonly #access: Access
  readonly #path: string
  readonly #body: (name: string) => object
  /** Paths that were answered as made, and as deleted. */
  readonly made = new Set<string>()
  readonly deleted = new Set<string>()
  #count = 0

  constructor(access: Access, path: string, body: (name: string) => object) {
    this.#access = access
    this.#path = path
    this.#body = body
  }

  async changeUntilGone(url: string): Promise<void> {
    await untilGone(async () => {
      const path = await this.#make(url)
      // Two of three stay for a while: what is deleted was made before the last kill, too.
      if (this.#count % 3 === 0) await this.#delete(url, [...this.made][0] ?? path)
    })
  }

  async #make(url: string): Promise<string> {
    const name = `${this.#path}-${this.#count++}`
    const body = { orgID: this.#access.orgID, ...this.#body(name) }
    const answer = await post(`${url}/api/v2/${this.#path}`, this.#access.token, body)
    if (answer.status !== 201) throw new Error(`${this.#path}: ${answer.status} ${answer.text}`)
    const path = `/api/v2/${this.#path}/${idOf(answer)}`
    this.made.add(path)
    return path
  }

  async #delete(url: string, path: string): Promise<void> {
    // Until it is answered it may be there or not.
    this.made.delete(path)
    const answer = await send(`${url}${path}`, { method: 'DELETE', token: this.#access.token })
    if (answer.status !== 204) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    this.deleted.add(path)
  }

  async check(url: string): Promise<string[]> {
    const { token } = this.#access
    const wrong: string[] = []
    const look = async (path: string, status: number) => {
      const answer = await send(`${url}${path}`, { token })
      if (answer.status !== status) wrong.push(`${path}: ${answer.status} instead of ${status}`)
    }
    await Promise.all([...this.made].map((path) => look(path, 200)))
    await Promise.all([...this.deleted].map((path) => look(path, 404)))
    return wrong
  }
}

async function untilGone(work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await work()
    } catch (error) {
      if ('code' in (error as Error)) return
      throw error
    }
  }
}

function post(url: string, token: string, body: object): Promise<Answer> {
  return send(url, { method: 'POST', token, body: JSON.stringify(body) })
}

function idOf({ json }: Answer): string {
  return json.label?.id ?? json.id
}

/** Organizations that go while others fill them. Every answer is one of those that may be. */
/** Counts its rounds in `progress` as they are done. */
async function fillAndDelete(
  url: string,
  { token }: Access,
  prefix: string,
  progress: { rounds: number },
): Promise<void> {
  let rounds = 0
  await untilGone(async () => {
    const made = await post(`${url}/api/v2/orgs`, token, { name: `${prefix}-${rounds}` })
    expect([201, 422]).toContain(made.status)
    rounds++
    if (made.status === 422) return
    const orgID = idOf(made)
    const bucket = await post(`${url}/api/v2/buckets`, token, { orgID, name: 'early' })
    const label = await post(`${url}/api/v2/labels`, token, { orgID, name: 'early' })
    const below = `buckets/${idOf(bucket)}`
    const fill = () => [
      post(`${url}/api/v2/${below}/labels`, token, { labelID: idOf(label) }),
      post(`${url}/api/v2/buckets`, token, { orgID, name: 'late' }),
      post(`${url}/api/v2/labels`, token, { orgID, name: 'late' }),
      post(`${url}/api/v2/dashboards`, token, { orgID, name: 'late' }),
      post(`${url}/api/v2/authorizations`, token, { orgID, permissions }),
    ]
    const deletion = () => send(`${url}/api/v2/orgs/${orgID}`, { method: 'DELETE', token })
    const [deleted, ...filled] = await Promise.all([deletion(), ...fill(), ...fill()])
    expect(deleted.status, deleted.text).toBe(204)
    // Made before it went, made twice, or too late.
    for (const { status, text } of filled) expect([201, 422, 404, 400], text).toContain(status)
    progress.rounds++
  })
}

/** Machines differ: what is killed must have been at work. */
async function untilBusy(isBusy: () => boolean): Promise<void> {
  for (let waited = 0; waited < 10_000 && !isBusy(); waited += 10) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const orphans: Readonly<Record<string, string>> = {
  buckets: 'from buckets where org_id not in (select id from organizations)',
  tokens: 'from tokens where org_id not in (select id from organizations)',
  records: 'from records where org_id not in (select id from organizations)',
  labels: 'from label_mappings where label_id not in (select id from records)',
  labelled: `from label_mappings where resource_id not in (select id from records)
    and resource_id not in (select id from buckets)`,
  members: 'from memberships where user_id not in (select id from users)',
  memberOf: `from memberships where resource_id not in (select id from organizations)
    and resource_id not in (select id from records)
    and resource_id not in (select id from buckets)`,
  mappings: 'from dbrps where bucket_id not in (select id from buckets)',
  halfMade: `from organizations where 2 != (select count(*) from buckets
    where org_id = organizations.id and type = 'system')`,
}

/** What the tables hold that belongs to nothing, by kind. */
function orphansIn(dataDir: string): Record<string, number> {
  const path = `${dataDir}/catalog.sqlite`
  // Whoever closes a database carries its log over: the next start must find what the kill has left.
  const copy = copyFiles(catalogFiles(path))
  const database = connect(copy.path(path))
  try {
    const found: Record<string, number> = {}
    for (const [kind, where] of Object.entries(orphans)) {
      const [{ n }] = database.prepare(`select count(*) as n ${where}`).all() as { n: number }[]
      if (n > 0) found[kind] = n
    }
    return found
  } finally {
    database.close()
    copy.remove()
  }
}

async function accessOf(url: string): Promise<Access> {
  const token = await setUp(url)
  const { json } = await send(`${url}/api/v2/orgs?org=o`, { token })
  return { token, orgID: json.orgs[0].id }
}

it(`keeps its catalog whole when it is killed ${kills} times`, { timeout: 300_000 }, async () => {
  const dataDir = temporaryFolder()
  let server = await serve(dataDir)
  const access = await accessOf(server.url)
  const changers = [
    new Changer(access, 'buckets', (name) => ({ name })),
    new Changer(access, 'labels', (name) => ({ name })),
    new Changer(access, 'dashboards', (name) => ({ name, cells: [{ w: 1, h: 1 }] })),
    new Changer(access, 'authorizations', (description) => ({ description, permissions })),
    new Changer(access, 'orgs', (name) => ({ name })),
  ]
  const progress = { rounds: 0 }
  for (let kill = 0; kill < kills; kill++) {
    const { url } = server
    const load = Promise.all([
      fillAndDelete(url, access, `filled-${kill}`, progress),
      ...changers.map((changer) => changer.changeUntilGone(url)),
    ])
    const enough = 2 * (kill + 1)
    await untilBusy(
      () => progress.rounds >= enough && changers.every(({ made }) => made.size >= enough),
    )
    await new Promise((resolve) => setTimeout(resolve, 53 * kill))
    expect(await server.end('SIGKILL')).toBeNull()
    await load
    server = await serve(dataDir)
    for (const changer of changers) expect(await changer.check(server.url)).toEqual([])
    expect(orphansIn(dataDir)).toEqual({})
  }
  expect(await server.end('SIGTERM')).toBe(0)
  // Otherwise it was killed in its sleep.
  console.info({ ...progress, made: changers.map(({ made }) => made.size) })
  expect(progress.rounds).toBeGreaterThan(kills)
  for (const { made, deleted } of changers) {
    expect(made.size).toBeGreaterThan(kills)
    expect(deleted.size).toBeGreaterThan(0)
  }
})

it('gives a name that many want to one of them', { timeout: 300_000 }, async () => {
  const server = await serve(temporaryFolder())
  const { url } = server
  const { token, orgID } = await accessOf(url)
  const statusesOf = async (path: string, body: object) => {
    const target = `${url}/api/v2/${path}`
    const wanted = Array.from({ length: 8 }, () => post(target, token, body))
    const statuses = (await Promise.all(wanted)).map(({ status }) => status)
    return statuses.sort((a, b) => a - b)
  }
  const one = [201, ...Array.from({ length: 7 }, () => 422)]
  const args = { type: 'constant', values: [] }
  for (let round = 0; round < 5; round++) {
    const name = `n${round}`
    for (const path of ['buckets', 'labels', 'orgs', 'users', 'variables']) {
      expect(await statusesOf(path, { orgID, name, arguments: args }), path).toEqual(one)
    }
    const find = async (path: string) => (await send(`${url}/api/v2/${path}`, { token })).json
    const [bucket] = (await find(`buckets?name=${name}`)).buckets
    const [user] = (await find(`users?name=${name}`)).users
    const label = await post(`${url}/api/v2/labels`, token, { orgID, name: `${name}-worn` })
    const below = `buckets/${bucket.id}`
    expect(await statusesOf(`${below}/labels`, { labelID: idOf(label) }), 'labels').toEqual(one)
    expect(await statusesOf(`${below}/members`, { id: user.id }), 'members').toEqual(one)
  }
  expect(await server.end('SIGTERM')).toBe(0)
})

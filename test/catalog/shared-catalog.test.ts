// Several processes over one catalog in PostgreSQL: what one changes the others have seen before it is answered,
// changes at the same time lose nothing, and lost connections, nodes and servers are found out.

import type { Migration } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { SharedDatabase } from '../../src/catalog/base/connection.js'
import { connect } from '../../src/catalog/base/dialect.js'
import { migrate } from '../../src/catalog/base/migrate.js'
import { migrations } from '../../src/catalog/base/migrations.js'
import { wholeList } from '../../src/catalog/base/page.js'
import { Catalog } from '../../src/catalog/catalog.js'
import { liveNodes } from '../../src/catalog/nodes.js'
import { RegistryAccess } from '../../src/catalog/registry-access.js'
import { type Clock, ManualClock, systemClock } from '../../src/platform/clock.js'
import { openPool, preparing } from '../../src/platform/postgres.js'
import { systemRandom } from '../../src/platform/random.js'
import { type PostgresServer, postgresMissing, startPostgresServer } from './postgres-databases.js'

let server: PostgresServer

/** Names that could be taken for something else. */
const pairs = [
  ['a', 'x'],
  ['b', 'x'],
  ['a', 'name sign'],
  ['bucket sign', 'x'],
] as const

async function open(path: string, nodeId: string, clock: Clock = systemClock): Promise<Catalog> {
  const catalog = await Catalog.open({ path, clock, random: systemRandom, nodeId })
  onTestFinished(() => catalog.close())
  return catalog
}

async function two(): Promise<{ path: string; here: Catalog; there: Catalog; orgId: string }> {
  const path = await server.newDatabase()
  const [here, there] = [await open(path, 'here'), await open(path, 'there')]
  const { id } = await here.organizations.create({ name: 'o' })
  return { path, here, there, orgId: id }
}

async function ask(path: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: path })
  await client.connect()
  const { rows } = await client.query(sql)
  await client.end()
  return rows
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await condition()); tries++) {
    if (tries === 400) throw new Error('it did not come to pass')
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

describe.skipIf(postgresMissing !== undefined)('a catalog in PostgreSQL', () => {
  beforeAll(async () => {
    server = await startPostgresServer()
  }, 60_000)

  afterAll(() => server?.stop(), 60_000)

  it('tells every node of a change before the change is answered', async () => {
    const { here, there, orgId } = await two()
    for (let i = 0; i < 20; i++) {
      const [one, other] = i % 2 === 0 ? [here, there] : [there, here]
      await one.secrets.put(orgId, { name: `${i}` })
      expect(other.versions.secrets).toBe(one.versions.secrets)
    }
    const nodes = await here.nodes?.list()
    expect(nodes?.map(({ id }) => id)).toEqual(['here', 'there'])
    expect(here.nodes?.unconfirmed).toEqual([])
  })

  it('loses nothing of what is changed at once', async () => {
    const { here, there, orgId } = await two()
    const made = await here.dashboards.create(orgId, undefined, { name: 'd' })
    const add = (catalog: Catalog, i: number) =>
      catalog.inTransaction(async (inside) => {
        const { description } = (await inside.dashboards.records.require(made.id)).body
        await inside.dashboards.update(made.id, { description: `${description ?? ''}${i},` })
      })
    await Promise.all([...Array(12).keys()].map((i) => add(i % 2 === 0 ? here : there, i)))
    const { description } = (await there.dashboards.records.require(made.id)).body
    const numbers = description?.split(',').filter(Boolean).map(Number)
    expect(numbers?.sort((a, b) => a - b)).toEqual([...Array(12).keys()])
  })

  it('gives a name to one of those who want it at once, and tells the others', async () => {
    const { here, there, orgId } = await two()
    const results = await Promise.allSettled(
      [here, there, here, there, here, there].map((catalog) =>
        catalog.inTransaction((inside) => inside.variables.create(orgId, { ...variable })),
      ),
    )
    const failures = results.filter((result) => result.status === 'rejected')
    expect(failures).toHaveLength(5)
    for (const { reason } of failures) expect(reason).toMatchObject({ name: 'UserError' })
  })

  it('hears again after its connection was lost, and has missed nothing', async () => {
    const { path, here, there, orgId } = await two()
    const told: string[] = []
    there.on('secrets-changed', () => told.push('secrets'))
    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'millrace node there'`
    await ask(path, end)
    await here.secrets.put(orgId, { a: 'b' })
    await until(() => told.length > 0)
    expect(there.versions).toEqual(here.versions)
    await until(async () => (await here.nodes?.list())?.length === 2)
  })

  it('says which nodes may not have seen a change', async () => {
    const { path, here, orgId } = await two()
    const lease = "'2999-01-01T00:00:00Z'"
    await ask(path, `INSERT INTO nodes VALUES ('gone', '', '', '', 0, ${lease})`)
    await here.secrets.put(orgId, { a: 'b' })
    expect(here.nodes?.unconfirmed).toEqual(['gone'])
    await ask(path, `DELETE FROM nodes WHERE id = 'gone'`)
    await here.secrets.put(orgId, { a: 'c' })
    expect(here.nodes?.unconfirmed).toEqual([])
  })

  it('knows the states of replicas before a read, though nobody told of them', async () => {
    const { path, here, there, orgId } = await two()
    const [one, other] = [new RegistryAccess(here), new RegistryAccess(there)]
    await one.save(orgId, 'm', 1, () => '{}')
    await one.meetReplica('1/a', 0)
    // As a process finds it that was not connected when it was told.
    await ask(path, `UPDATE versions SET version = version + 1 WHERE kind = 'store_replicas'`)
    const before = other.replicasVersion
    expect(await other.find(orgId, ['m'])).toHaveLength(1)
    expect(other.replicasVersion).toBe(before + 1)
  })

  it('looks a measurement up by a statement that is planned once', async () => {
    const pool = openPool(await server.newDatabase(), { isSerializable: false, connectionsMax: 1 })
    const prepared = preparing(pool)
    onTestFinished(() => prepared.end())
    const client = await prepared.connect()
    for (const value of [1, 2]) {
      const { rows } = await client.query('SELECT $1::int AS one', [value])
      expect(rows).toEqual([{ one: value }])
    }
    expect((await client.query('SELECT $1::text AS two', ['2'])).rows).toEqual([{ two: '2' }])
    const known = 'SELECT statement AS text FROM pg_prepared_statements ORDER BY name'
    expect((await client.query(known, [])).rows).toEqual([
      { text: 'SELECT $1::int AS one' },
      { text: 'SELECT $1::text AS two' },
    ])
    client.release()
    expect(await prepared.connect()).toBe(client)
    client.release()
  })

  it('looks up each measurement by its own name and bucket', async () => {
    const { here } = await two()
    const registry = new RegistryAccess(here)
    for (const [bucket, name] of [...pairs, ...pairs]) {
      const saved = await registry.save(bucket, name, 0, () => '{}')
      expect(await registry.find(bucket, [name])).toEqual([saved])
    }
    const numbers = await Promise.all(pairs.map(([bucket, name]) => registry.find(bucket, [name])))
    expect(new Set(numbers.map(([{ number }]) => number)).size).toBe(pairs.length)
    expect(await registry.find('b', ['none'])).toEqual([])
    expect(await registry.find('a', ['x', 'name sign'])).toHaveLength(2)
  })

  it('knows whether a process that is out of reach may go by what it knew', async () => {
    const { path, here, orgId } = await two()
    const access = new RegistryAccess(here)
    expect(await access.isSeenByAll()).toBe(true)
    const lease = "'2999-01-01T00:00:00Z'"
    await ask(path, `INSERT INTO nodes VALUES ('gone', '', '', '', 0, ${lease})`)
    await here.secrets.put(orgId, { a: 'b' })
    expect(await access.isSeenByAll()).toBe(false)
    await ask(path, `UPDATE nodes SET lease_until = '' WHERE id = 'gone'`)
    expect(await access.isSeenByAll()).toBe(true)
  })

  it('hears of confirmations, and waits for those that do not tell them', async () => {
    const { path, here, there, orgId } = await two()
    await here.secrets.put(orgId, { a: 'b' })
    expect(there.versions.secrets).toBe(here.versions.secrets)
    // One of a version before: it keeps what it has seen in its row, and says nothing of it.
    const older = new pg.Client({ connectionString: path, application_name: 'millrace node older' })
    await older.connect()
    const lease = "'2999-01-01T00:00:00Z'"
    await older.query(`INSERT INTO nodes VALUES ('older', '', '', '', 0, ${lease})`)
    let isDone = false
    const change = here.secrets.put(orgId, { a: 'c' }).then(() => {
      isDone = true
    })
    await until(async () => there.versions.secrets === 2)
    expect(isDone).toBe(false)
    await older.query(`UPDATE nodes SET seen_change = 1000000 WHERE id = 'older'`)
    await change
    expect(here.nodes?.unconfirmed).toEqual([])
    await older.end()
  })

  it('knows when what is cached is too old to be used', async () => {
    const clock = new ManualClock(1_700_000_000_000_000_000n)
    const catalog = await open(await server.newDatabase(), 'here', clock)
    expect(catalog.nodes?.isCurrent).toBe(true)
    clock.advance(59_000_000_000n)
    expect(catalog.nodes?.isCurrent).toBe(true)
    clock.advance(2_000_000_000n)
    expect(catalog.nodes?.isCurrent).toBe(false)
    await catalog.nodes?.heard()
    expect(catalog.nodes?.isCurrent).toBe(true)
  })

  it('goes on after a newer version has changed its tables, where it understands them', async () => {
    const { path } = await two()
    const note = (name: string) =>
      ask(path, `INSERT INTO kysely_migration VALUES ('${name}', '2099-01-01T00:00:00Z')`)
    await note('9998_more')
    const older = await open(path, 'older')
    expect(await older.organizations.findByName('o')).toBeDefined()
    await note('9999_other_tables_for_all')
    await expect(open(path, 'oldest')).rejects.toThrow(
      /a newer version of this program \(9999_other_tables_for_all\).*: start that version/,
    )
  })

  it('is not changed in a way that processes under way do not understand', async () => {
    const path = await server.newDatabase()
    const here = await open(path, 'here')
    const { db, shared } = await connect(path)
    onTestFinished(() => db.destroy())
    const change: Migration = {
      up: (any) => any.schema.createTable('t').addColumn('c', 'text').execute(),
    }
    const known = { ...migrations, '9999_t_for_all': change }
    const others = () => liveNodes(shared as SharedDatabase, systemClock)
    const upgrade = () => migrate(db, { known, others })
    await expect(upgrade()).rejects.toThrow(/still run: here\. Stop all of them/)
    await here.close()
    await upgrade()
    expect(await ask(path, 'SELECT * FROM t')).toEqual([])
  })

  it('finds nothing under names with NUL, and keeps none', async () => {
    const { here, orgId } = await two()
    expect(await here.buckets.findByName(orgId, 'a\0b')).toBeUndefined()
    const making = here.secrets.put(orgId, { a: 'x\0y' })
    await expect(making).rejects.toThrow('must not contain the character NUL')
  })

  it('sorts names by their bytes, as a file does', async () => {
    const { here, orgId } = await two()
    for (const name of ['b', 'A', 'a', 'ä', 'B', '_']) await here.secrets.put(orgId, { [name]: '' })
    expect(await here.secrets.keys(orgId)).toEqual(['A', 'B', '_', 'a', 'b', 'ä'])
    expect(await here.buckets.list(everything(orgId), wholeList)).toHaveLength(2)
  })
})

const variable = {
  name: 'v',
  arguments: { type: 'constant' as const, values: [] },
}

function everything(orgId: string) {
  return { orgId, userBuckets: 'all', systemBuckets: true } as const
}

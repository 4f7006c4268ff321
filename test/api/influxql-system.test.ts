// Statements about the running service: continuous queries that run on time, queries under way,
// figures and diagnostics.

import { expect, test, vi } from 'vitest'
import { ManualClock } from '../../src/platform/clock.js'
import { install } from './harness.js'
import { ask, rows } from './influxql-client.js'

const minute = 60_000_000_000n
/** A whole hour. */
const start = 1_600_002_000_000_000_000n

test('a continuous query writes what its interval amounts to, once the interval is over', async () => {
  const clock = new ManualClock(start)
  const { url, token, writeV1 } = await install({ clock })
  const query = 'SELECT mean(v) INTO hourly FROM m GROUP BY time(1h), t'
  const made = `CREATE CONTINUOUS QUERY q ON b BEGIN ${query} END`
  const at = (minutes: bigint) => start + minutes * minute
  await writeV1(`m,t=a v=7 ${at(-30n)}`)
  // Made at the end of an interval: its first run, which comes at once, covers that one.
  expect(await ask(url, made, { token })).toEqual([])
  const written = (count: number) =>
    vi.waitFor(
      async () => {
        const got = await rows(url, 'SELECT * FROM hourly', { token, db: 'b' })
        expect(got).toHaveLength(count)
        return got
      },
      { timeout: 15_000, interval: 100 },
    )
  await written(1)
  await writeV1(`m,t=a v=1 ${at(10n)}\nm,t=a v=3 ${at(50n)}\nm,t=b v=5 ${at(70n)}`)
  // A jump beyond the boundary would count as time in which nobody was there.
  clock.set(at(60n))
  expect(await written(2)).toEqual([
    ['2020-09-13T12:00:00Z', 7, 'a'],
    ['2020-09-13T13:00:00Z', 2, 'a'],
  ])
  expect(await rows(url, 'SHOW TAG KEYS FROM hourly', { token, db: 'b' })).toEqual([['t']])
}, 30_000)

test('a query under way is listed with what it is and how long it takes', async () => {
  const { url, token } = await install()
  const [table] = (await ask(url, 'SHOW QUERIES', { token, db: 'b' })) as readonly {
    columns: string[]
    values: unknown[][]
  }[]
  expect(table.columns).toEqual(['qid', 'query', 'database', 'duration', 'status'])
  const [id, text, database, duration, status] = table.values[0]
  expect([text, database, status]).toEqual(['SHOW QUERIES', 'b', 'running'])
  expect(id).toBeGreaterThan(0)
  expect(duration).toMatch(/^\d+(ns|µs|ms|s)$/)
})

test('a query that is not there cannot be killed', async () => {
  const { url, token } = await install()
  expect(await ask(url, 'KILL QUERY 4711', { token })).toBe('no such query id: 4711')
  const beyond = 'KILL QUERY 18446744073709551615'
  expect(await ask(url, beyond, { token })).toBe('no such query id: 18446744073709551615')
})

test('figures come from the store and the process', async () => {
  const { url, token, writeV1 } = await install()
  await writeV1('m v=1\nm v=2 1')
  const [store] = (await ask(url, "SHOW STATS FOR 'store'", { token })) as readonly {
    columns: string[]
    values: unknown[][]
  }[]
  expect(store.columns).toEqual([...store.columns].sort())
  const points = store.columns.indexOf('store_points_written_total')
  expect(store.values[0][points]).toBe(2)
  const modules = (await ask(url, 'SHOW STATS', { token })) as readonly {
    name: string
    tags?: Record<string, string>
    columns: string[]
    values: number[][]
  }[]
  const names = ['queryExecutor', 'runtime', 'httpd', 'write', 'cq']
  const databases = ['database', 'database', 'database']
  expect(modules.map(({ name }) => name)).toEqual([...names, ...databases, 'store'])
  const figures = (wanted: string, tag?: string) => {
    const found = modules.find(
      ({ name, tags = {} }) =>
        name === wanted && (tag === undefined || Object.values(tags).includes(tag)),
    )
    return Object.fromEntries(found?.columns.map((name, i) => [name, found.values[0][i]]) ?? [])
  }
  expect(figures('database', 'b')).toEqual({ numMeasurements: 1, numSeries: 1 })
  expect(figures('write')).toEqual({ req: 1, pointReq: 2, writeOk: 1, writeDrop: 0 })
  expect(figures('httpd')).toMatchObject({ writeReq: 1, pointsWrittenOK: 2, serverError: 0 })
  expect(figures('queryExecutor')).toMatchObject({ queriesActive: 1, queriesExecuted: 2 })
  const [indexes] = await rows(url, "SHOW STATS FOR 'indexes'", { token })
  expect(indexes[0]).toBeGreaterThan(0)
  expect(await ask(url, "SHOW STATS FOR 'nothing'", { token })).toEqual([])
})

test('diagnostics tell of the machine and the process', async () => {
  const { url, token } = await install()
  const modules = (await ask(url, 'SHOW DIAGNOSTICS', { token })) as readonly { name: string }[]
  expect(modules.map(({ name }) => name)).toEqual(['network', 'runtime', 'system'])
  const [machine] = modules.slice(1) as readonly { columns?: string[] }[]
  expect(machine.columns).toEqual(['GOARCH', 'GOMAXPROCS', 'GOOS', 'version'])
  const [[pid, now, started, uptime]] = await rows(url, "SHOW DIAGNOSTICS FOR 'system'", { token })
  expect(pid).toBe(process.pid)
  expect(Date.parse(now as string)).toBeGreaterThan(Date.parse(started as string))
  expect(uptime).toMatch(/^(\d+h)?(\d+m)?[\d.]+s$/)
})

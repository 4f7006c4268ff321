// What `millrace migrate` tells before it does anything, and what it does on the way to points and limits: sources and
// targets are Millraces and, where it is installed, an InfluxDB 1.x that points go back to.

import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { install, temporaryFolder } from '../api/harness.js'
import { hasInfluxd, startInfluxd } from '../influxd.js'
import { migrate } from './migrate-command.js'

const weekNs = 604_800_000_000_000n
const startNs = 1_600_000_000_000_000_000n

/** So many points in each of three weeks, with two fields. */
function lines(perWeek: number): string {
  const list: string[] = []
  for (let week = 0n; week < 3n; week++) {
    for (let i = 0; i < perWeek; i++) {
      const time = startNs + week * weekNs + BigInt(i) * 1_000_000_000n
      list.push(`m,host=h${i % 4},dc=x f=${i}.5,n=${i}i ${time}`)
    }
  }
  return list.join('\n')
}

const readers: readonly string[][] = [['--read-by', 'flux'], ['--read-by', 'sql'], []]

it('tells before it moves a server how much there is, where it goes and how long it takes', async () => {
  const old = await install()
  await old.write(lines(50))
  for (const readBy of readers) {
    const from = ['--from', old.url, '--from-token', old.token, ...readBy]
    const { code, errors, events } = await migrate([...from, '--dry-run', '--database', 'b'])
    expect([readBy, code, errors]).toEqual([readBy, 0, ''])
    const [plan] = events
    const [{ policies }] = plan.databases
    expect(policies).toMatchObject([{ name: 'autogen', values: 300, isDefault: true }])
    expect(policies[0].bucket).toBe('b')
    expect(plan.estimatedSeconds).toBeGreaterThan(0)
  }
})

it('makes nothing where it may not read', async () => {
  const old = await install()
  for (const readBy of readers) {
    const to = `${temporaryFolder()}/new`
    const from = ['--from', old.url, '--from-token', 'wrong', ...readBy]
    const { code, errors } = await migrate([...from, '--to', to])
    expect([readBy, code, errors]).toEqual([readBy, 1, expect.stringContaining('unauthorized')])
    expect(existsSync(to)).toBe(false)
  }
})

it('says which names do not fit', async () => {
  const old = await install()
  await old.write(lines(1))
  const from = ['--from', old.url, '--from-token', old.token, '--dry-run', '--database', 'b']
  const { code, events } = await migrate([...from, '--rename', 'b=_b'])
  expect([code, events[0].obstacles]).toEqual([
    1,
    [expect.stringMatching(/"_b" cannot be made: .*underscore; --rename/)],
  ])
})

it('drops and renames tags', async () => {
  const old = await install()
  await old.write(lines(20))
  const target = await install()
  const from = ['--from', old.url, '--from-token', old.token, '--database', 'b', '--rename', 'b=c']
  const to = ['--to', target.url, '--to-token', target.token]
  const journal = ['--journal', `${temporaryFolder()}/journal`]
  const tags = ['--drop-tag', 'dc', '--rename-tag', 'host=server']
  const { code, errors } = await migrate([...from, ...to, ...journal, ...tags])
  expect([code, errors]).toEqual([0, ''])
  const wanted = lines(20).replaceAll(',host=', ',server=').replaceAll(',dc=x', '')
  expect(await target.lines('c')).toEqual(wanted.split('\n').sort())
  // A journal is of one migration: other tags are another.
  const other = await migrate([...from, ...to, ...journal, '--drop-tag', 'host'])
  expect([other.code, other.errors]).toEqual([1, expect.stringContaining('another migration')])
  const wrong = await migrate([...from, '--dry-run', '--rename-tag', 'host'])
  expect([wrong.code, wrong.errors]).toEqual([
    2,
    expect.stringContaining('flag --rename-tag: "host" is not OLD=NEW'),
  ])
})

it('moves what is more than the server may read at once', async () => {
  const old = await install({ queryPointsMax: 70 })
  await old.write(lines(100))
  const folder = `${temporaryFolder()}/data`
  const from = [
    '--from',
    old.url,
    '--from-token',
    old.token,
    '--read-by',
    'influxql',
    '--no-verify',
  ]
  const { code, errors, outcome } = await migrate([...from, '--to', folder])
  expect([code, errors]).toEqual([0, ''])
  expect(outcome.points).toBeGreaterThanOrEqual(300)
})

it.skipIf(!hasInfluxd)('moves back to an InfluxDB 1.x, and compares both sides', async () => {
  const old = await install()
  await old.write(lines(30))
  const influx = await startInfluxd()
  const from = ['--from', old.url, '--from-token', old.token, '--database', 'b']
  const journal = ['--journal', `${temporaryFolder()}/journal`]
  const { code, errors, outcome } = await migrate([...from, '--to', influx.url, ...journal])
  expect([code, errors, outcome.points]).toEqual([0, '', 90])
  expect(outcome.verdicts).toMatchObject([{ database: 'b', differences: [] }])
  const [{ series = [] }] = await influx.query('SELECT count(f), sum(n) FROM m', 'b')
  expect(series[0].values[0].slice(1)).toEqual([90, 3 * 435])
})

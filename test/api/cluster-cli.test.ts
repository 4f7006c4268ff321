// The commands that manage a running cluster, as a user calls them: the built program against a
// server, every answer read from what it prints.

import { expect, it } from 'vitest'
import { adminToken, send } from './client.js'
import { cluster } from './cluster-client.js'
import { finish, run } from './program.js'

const outputOf = (...command: Parameters<typeof run>) => finish(run(...command))

async function commandLine() {
  const { url, server } = await cluster()
  const connection = ['--host', url, '--token', adminToken]
  const call = (...args: string[]) => outputOf([...args, ...connection])
  const json = async (...args: string[]) => {
    const { code, output, errors } = await call(...args)
    expect([code, errors]).toEqual([0, ''])
    return JSON.parse(output)
  }
  return { url, server, connection, call, json }
}

it('manages databases', async () => {
  const { call, json, url } = await commandLine()
  const made = await json('database', 'create', 'd', '--retention-period', '30d')
  expect(made).toMatchObject({ 'iox::database': 'd', retention_period: '30d' })
  await json('database', 'create', 'for ever')
  const listed = await call('database', 'list')
  expect(listed.output.split('\n')).toEqual([
    'name      retention period',
    'd         30d',
    'for ever  none',
    '',
  ])
  expect(await json('database', 'list', '--format', 'json')).toHaveLength(2)
  const changed = await json('database', 'update', 'd', '--retention-period', 'none')
  expect(changed.retention_period).toBeNull()
  // The name may also come last; host and token may stand in the environment.
  const environment = { MILLRACE_HOST: url, MILLRACE_TOKEN: adminToken }
  const update = ['database', 'update', '--retention-period=12h', 'd']
  expect(JSON.parse((await outputOf(update, environment)).output).retention_period).toBe('12h')
  await json('database', 'delete', 'd')
  const again = await call('database', 'delete', 'd')
  expect([again.code, again.errors]).toEqual([1, 'millrace: database not found: d\n'])
  const taken = await call('database', 'create', 'for ever')
  expect([taken.code, taken.errors]).toEqual([1, 'millrace: database "for ever" already exists\n'])
})

it('manages tokens', async () => {
  const { call, json, url } = await commandLine()
  await json('database', 'create', 'd')
  const flags = ['--database', 'd', '--permission', 'read,write']
  const made = await json('token', 'create', ...flags, '--name', 'collector')
  const write = async (token: string) =>
    (await send(`${url}/write?db=d`, { method: 'POST', token, body: 'm f=1' })).status
  expect(await write(made.token)).toBe(204)
  const reader = await json('token', 'create', '--database=*', '--permission=read', '--expires=90d')
  expect(await write(reader.token)).toBe(401)
  expect(reader.expiry).toMatch(/^\d{4}-\d\d-\d\dT/)
  const dated = [...flags, '--expires', '2999-01-01T00:00:00Z']
  expect((await json('token', 'create', ...dated)).expiry).toBe('2999-01-01T00:00:00.000000000Z')
  expect(await json('token', 'list', '--format', 'json')).toHaveLength(3)
  const named = await call('token', 'list', '--database', 'd')
  expect(named.output.split('\n')).toHaveLength(4)
  expect(named.output).toMatch(
    new RegExp(`${made.id}  collector  d:read\\+write  never +\\d{4}-\\d\\d-\\d\\dT`),
  )
  expect(named.output).not.toContain(made.token)
  const revoked = await json('token', 'revoke', made.id)
  expect(revoked.id).toBe(made.id)
  expect(await write(made.token)).toBe(401)
  expect((await call('token', 'list')).output).toMatch(
    /collector {2}d:read\+write {2}revoked \d{4}-/,
  )
  const missing = await call('token', 'create', '--database', 'x', '--permission', 'read')
  expect([missing.code, missing.errors]).toEqual([1, 'millrace: database not found: x\n'])
})

it.each([
  [['database'], 'database: what to do is missing, one of create, list, update, delete'],
  [['database', 'dance'], 'database: unknown action "dance"'],
  [['database', 'create'], 'database create: NAME is missing'],
  [['database', 'create', '--retention-period', '1d'], 'database create: NAME is missing'],
  [['database', 'create', 'd', 'e', '--token', 't'], 'unexpected argument "e"'],
  [['database', 'list', 'd', '--token', 't'], 'unexpected argument "d"'],
  [['database', 'delete', 'd', '--token'], 'flag --token needs a value: TOKEN'],
  [['database', 'update', 'd', '--token', 't'], 'flag --retention-period is required'],
  [['database', 'list', '--format', 'xml', '--token', 't'], 'flag --format: "xml" is not'],
  [['database', 'list'], 'flag --token is required'],
  [['database', 'list', '--token', 't', '--host', 'here'], 'flag --host: "here" is not a URL'],
  [['token', 'create', '--permission', 'read', '--token', 't'], 'flag --database is required'],
  [['token', 'create', '--database', 'd', '--token', 't'], 'flag --permission is required'],
  [
    ['token', 'create', '--database', 'd', '--permission', 'admin', '--token', 't'],
    'flag --permission: "admin" is not one of read, write',
  ],
  [['token', 'revoke', '--token', 't'], 'token revoke: ID is missing'],
  [['serve', '--role', 'query'], 'flag --role: only the cluster variant has roles'],
  [['serve', '--variant', 'cluster', '--role', 'rest'], 'flag --role: "rest" is not one of'],
])('%j is called wrongly', async (args, message) => {
  const { code, errors } = await outputOf(args, { MILLRACE_TOKEN: '', MILLRACE_HOST: '' })
  expect([code, errors]).toEqual([2, expect.stringContaining(message)])
})

it('says who is not there and what is refused', async () => {
  const { url, server } = await cluster()
  const wrong = await outputOf(['database', 'list', '--host', url, '--token', 'wrong'])
  expect([wrong.code, wrong.errors]).toEqual([1, 'millrace: unauthorized access\n'])
  await server.close()
  const nobody = await outputOf(['database', 'list', '--host', url, '--token', adminToken])
  expect(nobody.code).toBe(1)
  expect(nobody.errors).toContain(`cannot reach ${url}: `)
  expect(nobody.errors).toContain('ECONNREFUSED')
})

it('helps', async () => {
  const { output } = await outputOf(['help', 'token'])
  expect(output).toContain('millrace token revoke ID [flags]')
  expect(output).toContain('--expires TIME')
  expect((await outputOf(['database', 'create', '--help'])).output).toContain(
    '--retention-period DURATION',
  )
})

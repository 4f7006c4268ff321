// The environment variables of InfluxDB's official image: the first start sets an installation up, later ones leave it

import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readFirstSetup } from '../../src/cli/first-setup.js'
import { send, start, temporaryFolder } from './harness.js'
import { finish, run } from './program.js'

const prefix = 'DOCKER_INFLUXDB_INIT_'

function addressOf(child: ReturnType<typeof run>): Promise<string> {
  return new Promise((resolve) => {
    let said = ''
    child.stdout?.on('data', (chunk) => {
      said += chunk
      const [, found] = /Listening on (\S+)/.exec(said) ?? []
      if (found !== undefined) resolve(found)
    })
  })
}

it('sets up at the first start, and never again', async () => {
  const folder = temporaryFolder()
  writeFileSync(`${folder}/password`, 'a long password\n')
  const environment = {
    [`${prefix}MODE`]: 'setup',
    [`${prefix}USERNAME`]: 'me',
    [`${prefix}PASSWORD_FILE`]: `${folder}/password`,
    [`${prefix}ORG`]: 'mine',
    [`${prefix}BUCKET`]: 'first',
    [`${prefix}RETENTION`]: '1w',
    [`${prefix}ADMIN_TOKEN`]: 'a-token-of-my-own',
  }
  for (const token of ['a-token-of-my-own', 'another']) {
    const args = ['serve', '--data-dir', `${folder}/data`, '--http-address', '127.0.0.1:0']
    const child = run(args, { ...environment, [`${prefix}ADMIN_TOKEN`]: token })
    const url = await addressOf(child)
    const path = `${url}/api/v2/buckets?org=mine&name=first`
    const { json } = await send(path, { token: 'a-token-of-my-own' })
    expect(json.buckets).toMatchObject([{ retentionRules: [{ everySeconds: 604_800 }] }])
    expect((await send(path, { token: 'another' })).status).toBe(401)
    const ended = finish(child)
    child.kill('SIGTERM')
    expect((await ended).code).toBe(0)
  }
})

it('makes the users and the database of 1.x', async () => {
  const child = run(['serve', '--memory', '--http-address', '127.0.0.1:0'], {
    INFLUXDB_DB: 'my db',
    INFLUXDB_HTTP_AUTH_ENABLED: 'true',
    INFLUXDB_ADMIN_USER: 'boss',
    INFLUXDB_ADMIN_PASSWORD: "it's long enough",
    INFLUXDB_USER: 'all',
    INFLUXDB_USER_PASSWORD: 'a',
    INFLUXDB_READ_USER: 'reader',
    INFLUXDB_READ_USER_PASSWORD: 'r',
    INFLUXDB_WRITE_USER: 'writer',
    INFLUXDB_WRITE_USER_PASSWORD: 'w',
  })
  const url = await addressOf(child)
  const write = (u: string, p: string) =>
    send(`${url}/write?${new URLSearchParams({ db: 'my db', u, p })}`, {
      method: 'POST',
      body: 'm f=1 1',
    })
  const query = (u: string, p: string) =>
    send(`${url}/query?${new URLSearchParams({ db: 'my db', u, p, q: 'SELECT f FROM m' })}`)
  expect((await write('boss', "it's long enough")).status).toBe(204)
  expect((await write('all', 'a')).status).toBe(204)
  expect((await write('writer', 'w')).status).toBe(204)
  expect((await write('reader', 'r')).status).toBe(401)
  for (const [name, password] of [
    ['boss', "it's long enough"],
    ['all', 'a'],
    ['reader', 'r'],
  ]) {
    expect((await query(name, password)).json.results[0].series[0].values).toHaveLength(1)
  }
  expect((await query('boss', 'wrong')).status).toBe(401)
  const ended = finish(child)
  child.kill('SIGTERM')
  expect((await ended).code).toBe(0)
})

it('makes all of it or nothing: a start that failed is repeated in full', async () => {
  const dataDir = temporaryFolder()
  const boss = { name: 'boss', password: 'long enough', isAdmin: true }
  const reader = { name: 'reader', password: 'r', isAdmin: false, privilege: 'READ' } as const
  const rest = { username: 'me', password: 'long enough', org: 'o', bucket: 'd' }
  const wanted = { ...rest, retentionSeconds: 0, users: [boss, { ...reader, name: 'a:b' }] }
  await expect(start({ dataDir, firstSetup: wanted })).rejects.toThrow('has no colon')
  const { url } = await start({ dataDir, firstSetup: { ...wanted, users: [boss, reader] } })
  for (const { name, password } of [boss, reader]) {
    const query = { db: 'd', u: name, p: password, q: 'SHOW MEASUREMENTS' }
    expect((await send(`${url}/query?${new URLSearchParams(query)}`)).status).toBe(200)
  }
})

it('leaves the variables of clients alone, and tells of a missing password', () => {
  expect(readFirstSetup({ INFLUXDB_DB: 'd', INFLUXDB_USER: 'u' })).toBeUndefined()
  const admin = { INFLUXDB_ADMIN_USER: 'a', INFLUXDB_ADMIN_PASSWORD: 'p' }
  expect(() => readFirstSetup({ INFLUXDB_ADMIN_USER: 'a' })).toThrow(
    'INFLUXDB_ADMIN_PASSWORD is missing',
  )
  expect(() => readFirstSetup({ ...admin, INFLUXDB_READ_USER: 'r' })).toThrow(
    'INFLUXDB_READ_USER_PASSWORD is missing',
  )
  const twice = { ...admin, INFLUXDB_READ_USER: 'a', INFLUXDB_READ_USER_PASSWORD: 'r' }
  expect(() => readFirstSetup(twice)).toThrow(
    'INFLUXDB_READ_USER and INFLUXDB_ADMIN_USER are the same user, "a"',
  )
})

it.each([
  [{ MODE: 'upgrade' }, 'DOCKER_INFLUXDB_INIT_MODE: "upgrade" is not "setup"'],
  [{ MODE: 'setup', USERNAME: 'me' }, 'INIT_PASSWORD, DOCKER_INFLUXDB_INIT_ORG, DOCKER_INFLUXDB'],
  [
    { MODE: 'setup', USERNAME: 'u', PASSWORD: 'p', ORG: 'o', BUCKET: 'b', RETENTION: 'long' },
    'RETENTION: "long" is not a duration',
  ],
  [{ MODE: 'setup', USERNAME_FILE: '/nowhere' }, 'USERNAME_FILE: cannot read "/nowhere"'],
])('%j is refused', (values, message) => {
  const named = Object.entries(values).map(([name, value]) => [`${prefix}${name}`, value])
  expect(() => readFirstSetup(Object.fromEntries(named))).toThrow(message)
  expect(readFirstSetup({})).toBeUndefined()
})

// The environment variables of InfluxDB's official image: the first start sets an installation up, later ones leave it

import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readFirstSetup } from '../../src/cli/first-setup.js'
import { send, temporaryFolder } from './harness.js'
import { finish, run } from './program.js'

const prefix = 'DOCKER_INFLUXDB_INIT_'

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
    const url = await new Promise<string>((resolve) => {
      let said = ''
      child.stdout?.on('data', (chunk) => {
        said += chunk
        const [, found] = /Listening on (\S+)/.exec(said) ?? []
        if (found !== undefined) resolve(found)
      })
    })
    const path = `${url}/api/v2/buckets?org=mine&name=first`
    const { json } = await send(path, { token: 'a-token-of-my-own' })
    expect(json.buckets).toMatchObject([{ retentionRules: [{ everySeconds: 604_800 }] }])
    expect((await send(path, { token: 'another' })).status).toBe(401)
    const ended = finish(child)
    child.kill('SIGTERM')
    expect((await ended).code).toBe(0)
  }
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

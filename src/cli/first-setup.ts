// The first user, organization and bucket from the environment variables of InfluxDB's official images, of 2.x and of
// 1.x, so that a compose file needs another image name and nothing else. Read before the server starts, which uses it
// where nobody has set it up yet.

import { readFileSync } from 'node:fs'
import { limits } from '../config.js'
import { UserError } from '../errors.js'
import type { FirstSetup, FirstUser } from '../service/base/first-setup-request.js'

type Environment = Readonly<Record<string, string | undefined>>

const prefix = 'DOCKER_INFLUXDB_INIT_'

/** Undefined where nothing of the kind is asked for. Throws UserError that names what is missing. */
export function readFirstSetup(environment: Environment): FirstSetup | undefined {
  const mode = environment[`${prefix}MODE`]
  if (mode === undefined || mode === '') return readFirstSetupOf1(environment)
  if (mode !== 'setup') {
    const advice = 'an older installation is moved by "millrace migrate"'
    throw new UserError('invalid', `${prefix}MODE: "${mode}" is not "setup": ${advice}`)
  }
  const value = (name: string) => settingOf(environment, `${prefix}${name}`)
  const required = ['USERNAME', 'PASSWORD', 'ORG', 'BUCKET'] as const
  const missing = required.filter((name) => value(name) === '')
  if (missing.length > 0) {
    const names = missing.map((name) => `${prefix}${name}`).join(', ')
    throw new UserError('invalid', `${prefix}MODE is "setup", but these are missing: ${names}`)
  }
  const [username, password, org, bucket] = required.map(value)
  const token = value('ADMIN_TOKEN')
  if (token !== '') checkToken(token)
  return {
    username,
    password,
    org,
    bucket,
    retentionSeconds: retentionSeconds(value('RETENTION')),
    ...(token === '' ? {} : { token }),
  }
}

const prefixOf1 = 'INFLUXDB_'

/** Clients know these names too and mean others by them: only one that makes an administrator is for a server. */
function readFirstSetupOf1(environment: Environment): FirstSetup | undefined {
  const value = (name: string) => settingOf(environment, `${prefixOf1}${name}`)
  const username = value('ADMIN_USER')
  if (username === '') return undefined
  const password = value('ADMIN_PASSWORD')
  if (password === '') {
    const names = `${prefixOf1}ADMIN_USER is there, but ${prefixOf1}ADMIN_PASSWORD is missing`
    throw new UserError('invalid', names)
  }
  const database = value('DB')
  const rights = [
    { prefix: '', privilege: 'ALL PRIVILEGES' },
    { prefix: 'READ_', privilege: 'READ' },
    { prefix: 'WRITE_', privilege: 'WRITE' },
  ] as const
  const users = rights.flatMap(({ prefix, privilege }): FirstUser[] => {
    const name = value(`${prefix}USER`)
    if (name === '') return []
    const secret = value(`${prefix}USER_PASSWORD`)
    if (secret === '') {
      const missing = `${prefixOf1}${prefix}USER_PASSWORD`
      throw new UserError(
        'invalid',
        `${prefixOf1}${prefix}USER is there, but ${missing} is missing`,
      )
    }
    const earlier = ['ADMIN_USER', ...rights.map((one) => `${one.prefix}USER`)]
    const same = earlier
      .slice(0, earlier.indexOf(`${prefix}USER`))
      .find((one) => value(one) === name)
    if (same !== undefined) {
      const both = `${prefixOf1}${prefix}USER and ${prefixOf1}${same}`
      throw new UserError('invalid', `${both} are the same user, "${name}"`)
    }
    const user = { name, password: secret, isAdmin: false }
    return [database === '' ? user : { ...user, privilege }]
  })
  return {
    username,
    password,
    org: organizationOf1,
    bucket: database === '' ? databaseOf1 : database,
    retentionSeconds: 0,
    users: [{ name: username, password, isAdmin: true }, ...users],
  }
}

/** 1.x has no organizations, and its image makes no database unless it is asked to; here there is one of each. */
const organizationOf1 = 'default'
const databaseOf1 = 'default'

function checkToken(token: string): void {
  if (/^[\x21-\x7e]+$/.test(token) && token.length <= limits.tokenBytesMax) return
  const rule = `printable characters without spaces, at most ${limits.tokenBytesMax}`
  throw new UserError('invalid', `${prefix}ADMIN_TOKEN: a token is made of ${rule}`)
}

/** Also from the file that the variable of that name with `_FILE` names, as secrets are given. */
function settingOf(environment: Environment, name: string): string {
  const file = environment[`${name}_FILE`]
  if (file === undefined || file === '') return environment[name] ?? ''
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UserError('invalid', `${name}_FILE: cannot read "${file}": ${reason}`)
  }
}

const unitSeconds: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
}

/** `1w`, `1d12h`, or nothing and 0 for ever. */
function retentionSeconds(text: string): number {
  if (text === '' || text === '0') return 0
  if (!/^(\d+[smhdw])+$/.test(text)) {
    throw new UserError('invalid', `${prefix}RETENTION: "${text}" is not a duration such as 1w`)
  }
  const parts = text.matchAll(/(\d+)([smhdw])/g)
  return Array.from(parts, ([, n, unit]) => Number(n) * unitSeconds[unit]).reduce((a, b) => a + b)
}

// The first user, organization and bucket from the environment variables of InfluxDB's official images, of 2.x and of
// 1.x, so that a compose file needs another image name and nothing else. Read before the server starts, used where
// nobody has set it up yet.

import { readFileSync } from 'node:fs'
import { UserError } from '../errors.js'
import type { RunningServer } from '../index.js'

type Environment = Readonly<Record<string, string | undefined>>

export interface FirstSetup {
  readonly username: string
  readonly password: string
  readonly org: string
  readonly bucket: string
  readonly retentionPeriodSeconds: number
  readonly token?: string
  /** Statements of InfluxQL that make what 1.x has besides. */
  readonly statements?: readonly string[]
}

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
  return {
    username,
    password,
    org,
    bucket,
    retentionPeriodSeconds: retentionSeconds(value('RETENTION')),
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
  const users = [
    { prefix: '', right: 'ALL' },
    { prefix: 'READ_', right: 'READ' },
    { prefix: 'WRITE_', right: 'WRITE' },
  ].flatMap(({ prefix, right }) => {
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
    const made = `CREATE USER ${identifier(name)} WITH PASSWORD ${text(secret)}`
    const granted = `GRANT ${right} ON ${identifier(database)} TO ${identifier(name)}`
    return database === '' ? [made] : [made, granted]
  })
  const admin = `CREATE USER ${identifier(username)} WITH PASSWORD ${text(password)} WITH ALL PRIVILEGES`
  return {
    username,
    password,
    org: organizationOf1,
    bucket: database === '' ? databaseOf1 : database,
    retentionPeriodSeconds: 0,
    statements: [admin, ...users],
  }
}

/** 1.x has no organizations, and its image makes no database unless it is asked to; here there is one of each. */
const organizationOf1 = 'default'
const databaseOf1 = 'default'

function identifier(name: string): string {
  return `"${name.replace(/[\\"]/g, '\\$&')}"`
}

function text(value: string): string {
  return `'${value.replace(/[\\']/g, '\\$&')}'`
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

/** False where somebody has set the installation up before. */
export async function applyFirstSetup(server: RunningServer, wanted: FirstSetup): Promise<boolean> {
  if (!(await server.isSetupAllowed())) return false
  const { statements = [], ...setup } = wanted
  const body = JSON.stringify(setup)
  const answer = await fetch(`${server.url}/api/v2/setup`, { method: 'POST', body })
  const { message, auth } = (await answer.json()) as SetupAnswer
  if (answer.status !== 201 || auth === undefined) {
    throw new UserError('invalid', `the installation could not be set up: ${message}`)
  }
  for (const statement of statements) await runStatement(server, auth.token, statement)
  return true
}

interface SetupAnswer {
  readonly message?: string
  readonly auth?: { readonly token: string }
}

async function runStatement(
  { url }: RunningServer,
  token: string,
  statement: string,
): Promise<void> {
  const body = new URLSearchParams({ q: statement })
  const headers = { authorization: `Token ${token}` }
  const answer = await fetch(`${url}/query`, { method: 'POST', headers, body })
  const { error, results } = (await answer.json()) as QueryAnswer
  const reason = error ?? results?.find((result) => result.error !== undefined)?.error
  if (reason !== undefined) {
    throw new UserError('invalid', `a user of the environment could not be made: ${reason}`)
  }
}

interface QueryAnswer {
  readonly error?: string
  readonly results?: readonly { readonly error?: string }[]
}

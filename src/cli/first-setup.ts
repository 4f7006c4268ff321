// The first user, organization and bucket from the environment variables of InfluxDB's official image, so that a
// compose file needs another image name and nothing else. Read before the server starts, used where nobody has set it
// up yet.

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
}

const prefix = 'DOCKER_INFLUXDB_INIT_'

/** Undefined where nothing of the kind is asked for. Throws UserError that names what is missing. */
export function readFirstSetup(environment: Environment): FirstSetup | undefined {
  const mode = environment[`${prefix}MODE`]
  if (mode === undefined || mode === '') return undefined
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
  const body = JSON.stringify(wanted)
  const answer = await fetch(`${server.url}/api/v2/setup`, { method: 'POST', body })
  if (answer.status === 201) return true
  const { message } = (await answer.json()) as { message?: string }
  throw new UserError('invalid', `the installation could not be set up: ${message}`)
}

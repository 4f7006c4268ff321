// Telegraf configurations as old clients send them: a list of plugins instead of a text. Turned into
// the text once, when it arrives. Inputs that the old interface did not know are passed over, as it
// did; of those it knew, the settings are put in that it had.

import { Type } from '@sinclair/typebox'
import { UserError } from '../../errors.js'
import { type Given, optionalFields } from '../base/fields.js'

export const legacyPlugin = optionalFields({
  type: Type.String(),
  name: Type.String(),
  alias: Type.String(),
  description: Type.String(),
  config: Type.Unknown(),
})

export type LegacyPlugin = Given<typeof legacyPlugin>

export interface LegacyConfig {
  /** TOML. */
  readonly config: string
  readonly buckets: readonly string[]
}

const agent = `[agent]
  interval = "10s"
  round_interval = true
  metric_batch_size = 1000
  metric_buffer_limit = 10000
  collection_jitter = "0s"
  flush_interval = "10s"
  flush_jitter = "0s"
  precision = ""
  hostname = ""
  omit_hostname = false
`

type Setting =
  | { readonly kind: 'fixed'; readonly toml: string }
  | { readonly kind: 'text' | 'texts' | 'files'; readonly key: string }

const fixed = (...lines: readonly string[]): Setting[] =>
  lines.map((toml) => ({ kind: 'fixed', toml }))
const own = (kind: 'text' | 'texts' | 'files', ...keys: readonly string[]): Setting[] =>
  keys.map((key) => ({ kind, key }))

/** What follows tables of their own must come last. */
const inputs: Readonly<Record<string, readonly Setting[] | undefined>> = {
  cpu: fixed('percpu = true', 'totalcpu = true', 'collect_cpu_time = false'),
  disk: fixed('ignore_fs = ["tmpfs", "devtmpfs", "devfs", "iso9660", "overlay", "squashfs"]'),
  diskio: [],
  docker: [...own('text', 'endpoint'), ...fixed('container_names = []', 'timeout = "5s"')],
  file: [...own('texts', 'files'), ...fixed('data_format = "influx"')],
  kernel: [],
  kubernetes: own('text', 'url'),
  logparser: [
    ...own('texts', 'files'),
    ...fixed('from_beginning = false', '[inputs.logparser.grok]'),
    ...fixed('  patterns = ["%{COMBINED_LOG_FORMAT}"]', '  measurement = "apache_access_log"'),
  ],
  mem: [],
  net_response: fixed('protocol = "tcp"', 'address = "localhost:80"'),
  net: [],
  nginx: [...own('texts', 'urls'), ...fixed('response_timeout = "5s"')],
  processes: [],
  procstat: own('text', 'exe'),
  prometheus: own('texts', 'urls'),
  redis: [...own('texts', 'servers'), ...own('text', 'password')],
  swap: [],
  syslog: own('text', 'server'),
  system: [],
  tail: [...own('texts', 'files'), ...fixed('data_format = "influx"')],
}

const outputs: Readonly<Record<string, readonly Setting[] | undefined>> = {
  file: [...own('files', 'files'), ...fixed('data_format = "influx"')],
  influxdb_v2: [...own('texts', 'urls'), ...own('text', 'token', 'organization', 'bucket')],
}

/** Of an empty list: an agent that only lacks the address to write to. */
export function legacyConfig(plugins: readonly LegacyPlugin[]): LegacyConfig {
  const given = plugins.length > 0 ? plugins : [{ type: 'output', name: 'influxdb_v2' }]
  const buckets = new Set<string>()
  const tables = given.map((plugin) => {
    const { bucket } = fieldsOf(plugin)
    const isWriter = plugin.type === 'output' && plugin.name === 'influxdb_v2'
    if (isWriter && typeof bucket === 'string' && bucket !== '') buckets.add(bucket)
    return tableOf(plugin)
  })
  return { config: agent + tables.join(''), buckets: [...buckets] }
}

function tableOf(plugin: LegacyPlugin): string {
  const { type = '', name = '' } = plugin
  if (type !== 'input' && type !== 'output') {
    throw new UserError('invalid', `unsupported telegraf plugin type ${type}`)
  }
  const known = type === 'input' ? inputs : outputs
  const settings = Object.hasOwn(known, name) ? known[name] : undefined
  if (settings === undefined) {
    if (type === 'input') return ''
    throw new UserError('invalid', `unsupported telegraf plugin ${name}, type ${type}`)
  }
  const fields = fieldsOf(plugin)
  const lines = settings.map((setting) => `  ${settingText(setting, fields, name)}\n`)
  return `[[${type}s.${name}]]\n${lines.join('')}`
}

function fieldsOf({ name, config }: LegacyPlugin): Readonly<Record<string, unknown>> {
  if (config === undefined || config === null) return {}
  if (typeof config === 'object' && !Array.isArray(config)) return { ...config }
  throw new UserError('invalid', `config of telegraf plugin ${name} must be an object`)
}

function settingText(
  setting: Setting,
  fields: Readonly<Record<string, unknown>>,
  plugin: string,
): string {
  if (setting.kind === 'fixed') return setting.toml
  const { kind, key } = setting
  const value = Object.hasOwn(fields, key) ? fields[key] : undefined
  const wrong = (wanted: string) =>
    new UserError('invalid', `${key} of telegraf plugin ${plugin} must be ${wanted}`)
  if (kind === 'text') {
    if (value !== undefined && typeof value !== 'string') throw wrong('a string')
    return `${key} = ${tomlString(value ?? '')}`
  }
  if (value !== undefined && !Array.isArray(value)) throw wrong('a list')
  const texts = (value ?? []).map((item: unknown) => (kind === 'files' ? pathOf(item) : item))
  if (!texts.every((item: unknown) => typeof item === 'string')) throw wrong('a list of strings')
  return `${key} = [${texts.map(tomlString).join(', ')}]`
}

/** `{type: "stdout"}`, or `{type: "path", path: "..."}`. */
function pathOf(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return undefined
  const { type, path } = item as { type?: unknown; path?: unknown }
  return type === 'stdout' ? 'stdout' : path
}

/** TOML knows the escapes of JSON, and control characters only as escapes. */
function tomlString(text: string): string {
  return JSON.stringify(text).replace(/\u007f/g, '\\u007f')
}

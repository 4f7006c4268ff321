// Telegraf configurations: texts for agents, kept as they were given, or made of a list of plugins.
// Which buckets an agent writes to is read off the text where nobody says it.

import { Type } from '@sinclair/typebox'
import { UserError } from '../../errors.js'
import type { CatalogContext } from '../base/context.js'
import { type Given, optionalFields } from '../base/fields.js'
import { type CatalogRecord, Records } from '../base/records.js'
import { legacyConfig, legacyPlugin } from './legacy-plugins.js'

export interface TelegrafBody {
  readonly description: string
  /** TOML. */
  readonly config: string
  readonly buckets: readonly string[]
}

export type Telegraf = CatalogRecord<TelegrafBody>

export const telegrafFields = optionalFields({
  orgID: Type.String(),
  name: Type.String(),
  description: Type.String(),
  config: Type.String(),
  metadata: optionalFields({ buckets: Type.Array(Type.String()) }),
  plugins: Type.Array(legacyPlugin, { description: 'as old clients send it: in place of config' }),
})

export type TelegrafInput = Given<typeof telegrafFields>

export class Telegrafs {
  readonly records: Records<TelegrafBody>

  constructor(context: CatalogContext) {
    this.records = new Records(context, { kind: 'telegraf', noun: 'telegraf configuration' })
  }

  async create(
    orgId: string,
    ownerId: string | undefined,
    input: TelegrafInput,
  ): Promise<Telegraf> {
    return this.records.create({ orgId, ownerId, name: input.name ?? '', body: bodyOf(input) })
  }

  async replace(id: string, input: TelegrafInput): Promise<Telegraf> {
    return this.records.update(id, { name: input.name ?? '', body: bodyOf(input) })
  }
}

function bodyOf(input: TelegrafInput): TelegrafBody {
  const { description = '', config = '', plugins } = input
  if (plugins !== undefined) return { description, ...legacyConfig(plugins) }
  if (config === '') throw new UserError('invalid', 'telegraf configuration is empty')
  return { description, config, buckets: input.metadata?.buckets ?? bucketsOf(config) }
}

/** The `bucket` values of the `outputs.influxdb_v2` tables, each once. */
export function bucketsOf(config: string): string[] {
  const buckets = new Set<string>()
  let isInside = false
  for (const line of config.split('\n')) {
    const table = /^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$/.exec(line)
    if (table !== null) isInside = table[1] === 'outputs.influxdb_v2'
    const bucket = isInside ? /^\s*bucket\s*=\s*(["'])(.*?)\1/.exec(line) : null
    if (bucket !== null) buckets.add(bucket[2])
  }
  return [...buckets]
}

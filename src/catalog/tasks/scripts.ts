// Invokable scripts: queries that are kept under a name and run with parameters. Names are unique
// in their organization. Which parameters a script takes is read off its text.

import { UserError } from '../../errors.js'
import type { CatalogContext } from '../base/context.js'
import { type CatalogRecord, Records } from '../base/records.js'
import type { LoadScriptTools } from '../base/script-tools.js'

export type ScriptLanguage = 'flux' | 'sql' | 'influxql'

export interface ScriptBody {
  readonly description: string
  readonly script: string
  readonly language: ScriptLanguage
}

export type Script = CatalogRecord<ScriptBody>

export class Scripts {
  readonly records: Records<ScriptBody>
  readonly #tools: LoadScriptTools

  constructor(context: CatalogContext) {
    this.#tools = context.scriptTools
    // Uniqueness is checked here and not there: its message is another one.
    this.records = new Records(context, { kind: 'script', noun: 'script' })
  }

  /** In a transaction. */
  async create(orgId: string, name: string, body: ScriptBody): Promise<Script> {
    if (name === '') throw new UserError('invalid', 'script name is required')
    if ((await this.records.findByName(orgId, name)) !== undefined) {
      throw new UserError('conflict', 'uniqueness violation')
    }
    return this.records.create({ orgId, name, body })
  }

  async require(id: string): Promise<Script> {
    const found = await this.records.findById(id)
    if (found === undefined) throw new UserError('not found', `script "${id}" not found`)
    return found
  }

  /** In a transaction. The name stays for life. */
  async update(
    id: string,
    change: { readonly description?: string | undefined; readonly script?: string | undefined },
  ): Promise<Script> {
    const { body } = await this.require(id)
    const { description = body.description, script = body.script } = change
    return this.records.update(id, { body: { ...body, description, script } })
  }
  /** The names of those that it reads, in order. Other languages take their parameters as they come. */
  async parameters({ body }: Script): Promise<string[]> {
    return body.language === 'flux' ? (await this.#tools()).parameters(body.script) : []
  }
}

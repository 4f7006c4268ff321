// Tables as v3 defines them before their first points: which tags and which fields of which type a measurement of a
// bucket has. Columns that are named stay what they are; others may come with the points.

import { UserError } from '../../errors.js'
import type { CatalogContext } from '../base/context.js'
import { type CatalogRecord, exactName, Records } from '../base/records.js'
import type { SchemaColumn } from './measurement-schemas.js'

export interface TableDefinitionBody {
  /** In the order in which they were given, without `time`. */
  readonly columns: readonly SchemaColumn[]
}

/** Its parent is its bucket, its name the measurement. */
export type TableDefinition = CatalogRecord<TableDefinitionBody>

/** Of one bucket; all definitions are held in memory. */
const tablesMax = 10_000
const columnsMax = 1000
const nameBytesMax = 1024

export class TableDefinitions {
  readonly #records: Records<TableDefinitionBody>

  constructor(context: CatalogContext) {
    this.#records = new Records(context, { kind: 'table', noun: 'table', uniqueName: exactName })
  }

  /** In a transaction. */
  async create(
    bucket: { readonly id: string; readonly orgId: string },
    name: string,
    columns: readonly SchemaColumn[],
  ): Promise<TableDefinition> {
    checkName('table', name)
    checkColumns(columns)
    const { id: parentId, orgId } = bucket
    if ((await this.#records.findByName(orgId, name, parentId)) !== undefined) {
      throw tableExists(name)
    }
    if ((await this.#records.count(orgId, parentId)) >= tablesMax) {
      const rule = `a database has at most ${tablesMax} tables that were made before their points`
      throw new UserError('unprocessable entity', `table "${name}" is too many: ${rule}`)
    }
    return this.#records.create({ orgId, parentId, name, body: { columns } })
  }

  /** Of all buckets. */
  all(): Promise<TableDefinition[]> {
    return this.#records.list({})
  }

  /** In a transaction. False where there was none. */
  async delete(bucketId: string, name: string): Promise<boolean> {
    const [found] = await this.#records.list({ parentId: bucketId, name })
    return found !== undefined && this.#records.delete(found.id)
  }
}

export function tableExists(name: string): UserError {
  return new UserError('conflict', `table already exists: ${name}`, 409)
}

function checkColumns(columns: readonly SchemaColumn[]): void {
  if (columns.length > columnsMax) {
    throw new UserError('invalid', `a table is made with at most ${columnsMax} columns`)
  }
  const names = new Set<string>()
  for (const { name } of columns) {
    checkName('column', name)
    if (name === 'time')
      throw new UserError('invalid', 'column "time" is there without being named')
    if (names.has(name)) throw new UserError('invalid', `column "${name}" is given twice`)
    names.add(name)
  }
}

/** What line protocol could write. */
function checkName(noun: string, name: string): void {
  const isGood =
    name !== '' &&
    Buffer.byteLength(name) <= nameBytesMax &&
    name.isWellFormed() &&
    !/[\0\r\n]/.test(name) &&
    !name.endsWith('\\')
  if (isGood) return
  const rule = `it must have 1 to ${nameBytesMax} bytes, without line breaks or a backslash at its end`
  throw new UserError('invalid', `${noun} name ${JSON.stringify(name)} is invalid: ${rule}`)
}

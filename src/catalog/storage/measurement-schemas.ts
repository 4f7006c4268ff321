// Measurement schemas: which columns the points of a measurement in an explicit bucket have. A
// column, once there, stays what it is; new ones may come. Keeps and judges schemas; whoever takes
// points in compares them with what this file gives out.

import { Type } from '@sinclair/typebox'
import type { FieldType } from '../../column/column.js'
import { UserError } from '../../errors.js'
import type { CatalogContext } from '../base/context.js'
import { throwTaken } from '../base/dialect.js'
import type { Given } from '../base/fields.js'
import { type CatalogRecord, exactName, Records } from '../base/records.js'

export type SchemaColumn =
  | { readonly name: string; readonly type: 'timestamp' | 'tag' }
  | { readonly name: string; readonly type: 'field'; readonly dataType: FieldType }

/** As a request has it: whether the parts fit is judged here. */
export const schemaColumn = Type.Object({
  name: Type.String(),
  type: Type.Union([Type.Literal('timestamp'), Type.Literal('tag'), Type.Literal('field')]),
  dataType: Type.Optional(
    Type.Union([
      Type.Literal('integer'),
      Type.Literal('float'),
      Type.Literal('boolean'),
      Type.Literal('string'),
      Type.Literal('unsigned'),
    ]),
  ),
})

export type ColumnInput = Given<typeof schemaColumn>

export interface MeasurementSchemaBody {
  readonly columns: readonly SchemaColumn[]
  /** 1, and one more with each change. Schemas are never deleted alone, so that sums only grow. */
  readonly version: number
}

/** Its parent is its bucket. */
export type MeasurementSchema = CatalogRecord<MeasurementSchemaBody>

const nameBytesMax = 128

export class MeasurementSchemas {
  readonly records: Records<MeasurementSchemaBody>

  constructor(context: CatalogContext) {
    this.records = new Records(context, {
      kind: 'measurement-schema',
      noun: 'measurement schema',
      uniqueName: exactName,
    })
  }

  async create(
    bucket: { readonly id: string; readonly orgId: string },
    name: string,
    columns: readonly ColumnInput[],
  ): Promise<MeasurementSchema> {
    const problem = nameProblem(name)
    if (problem !== undefined) throw new UserError('invalid', `name is invalid: ${problem}`)
    const body = { columns: checkedColumns(columns), version: 1 }
    try {
      const { orgId, id } = bucket
      const made = await this.records.create({ orgId, parentId: id, name, body })
      return made
    } catch (error) {
      throwTaken(error, () => {
        return new UserError('conflict', `measurement schema with name ${name} already exists`)
      })
    }
  }

  /** In a transaction. `columns` is the whole list: all that were there, and the new ones. */
  async update(id: string, columns: readonly ColumnInput[]): Promise<MeasurementSchema> {
    const before = await this.records.require(id)
    const after = checkedColumns(columns)
    for (const old of before.body.columns) checkKept(old, after)
    const body = { columns: after, version: before.body.version + 1 }
    const changed = await this.records.update(id, { body })
    return changed
  }

  async ofBucket(bucketId: string, name?: string): Promise<MeasurementSchema[]> {
    return this.records.list({ parentId: bucketId, name })
  }
}

function checkKept(old: SchemaColumn, after: readonly SchemaColumn[]): void {
  const now = after.find((column) => column.name === old.name)
  if (now === undefined) throw new UserError('invalid', 'Unable to delete columns from schema')
  if (now.type === old.type && dataTypeOf(now) === dataTypeOf(old)) return
  throw new UserError('invalid', `Unable to change column "${old.name}" of the schema`)
}

function dataTypeOf(column: SchemaColumn): FieldType | undefined {
  return column.type === 'field' ? column.dataType : undefined
}

function checkedColumns(columns: readonly ColumnInput[]): SchemaColumn[] {
  if (columns.length === 0) throw new UserError('invalid', 'columns is required')
  const names = new Set<string>()
  for (const { name } of columns) {
    const problem = nameProblem(name)
    if (problem !== undefined) {
      throw new UserError('invalid', `column name "${name}" is invalid: ${problem}`)
    }
    const folded = name.toLowerCase()
    if (names.has(folded)) throw new UserError('invalid', `Duplicate column names: "${name}"`)
    names.add(folded)
  }
  const checked = columns.map(checkedColumn)
  if (!checked.some((column) => column.type === 'timestamp')) {
    throw new UserError('invalid', 'Timestamp column is required')
  }
  if (!checked.some((column) => column.type === 'field')) {
    throw new UserError('invalid', 'At least one field column is required')
  }
  return checked
}

function checkedColumn(column: ColumnInput): SchemaColumn {
  const { name, type, dataType } = column
  const refuse = (rule: string) => new UserError('invalid', `column "${name}" is invalid: ${rule}`)
  if ((type === 'timestamp') !== (name === 'time')) {
    throw refuse('the timestamp column, and no other, is named "time"')
  }
  if (type === 'field') {
    if (dataType === undefined) throw refuse('a field column needs a dataType')
    return { name, type, dataType }
  }
  if (dataType !== undefined) throw refuse(`a ${type} column has no dataType`)
  return { name, type }
}

function nameProblem(name: string): string | undefined {
  if (name === '') return 'too short'
  if (Buffer.byteLength(name) > nameBytesMax) return 'too long'
  if (name.startsWith('_')) return 'must not begin with _'
  if (/^\p{Nd}/u.test(name)) return 'must not begin with a digit'
  if (/['"]/.test(name)) return 'must not contain single or double quotes'
  // Separators but the blank, control and format characters, unassigned code points, and what
  // stands for bytes and halves of pairs that no UTF-8 text can hold.
  if (/[\p{C}\p{Zl}\p{Zp}\ufffd]|(?! )\p{Zs}/u.test(name)) return 'must be printable UTF-8'
  return undefined
}

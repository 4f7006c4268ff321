// The measurement schemas of an explicit bucket in a template. Applying makes those that are missing
// and adds columns to those that are there; as everywhere, nothing is taken away from a schema.

import { isDeepStrictEqual } from 'node:util'
import { UserError } from '../../errors.js'
import type { Catalog } from '../catalog.js'
import type { Bucket } from '../storage/buckets.js'
import type { ColumnInput } from '../storage/measurement-schemas.js'
import { listOf, type Spec, textOf } from './template-specs.js'

export function schemaTypeOf(spec: Spec): Bucket['schemaType'] {
  const given = textOf(spec, 'schemaType') || 'implicit'
  if (given === 'explicit' || given === 'implicit') return given
  throw refused(`schemaType ${JSON.stringify(given)} is neither explicit nor implicit`)
}

/** Only inside a transaction. */
export async function applySchemas(catalog: Catalog, bucket: Bucket, spec: Spec): Promise<void> {
  const schemas = listOf(spec, 'measurementSchemas')
  if (schemas.length === 0) return
  if (bucket.schemaType !== 'explicit') throw refused('bucket schemaType must be explicit')
  for (const schema of schemas) {
    const name = textOf(schema, 'name') ?? ''
    const columns = listOf(schema, 'columns').map(columnOf)
    const [known] = await catalog.measurementSchemas.ofBucket(bucket.id, name)
    if (known === undefined) {
      await catalog.measurementSchemas.create(bucket, name, columns)
      continue
    }
    const all = merged(known.body.columns, columns)
    // Without a change it keeps its version.
    if (isDeepStrictEqual(all, known.body.columns)) continue
    await catalog.measurementSchemas.update(known.id, all)
  }
}

/** In the order in which they came: what is there, as it is given now, and then what is new. */
function merged(known: readonly ColumnInput[], given: readonly ColumnInput[]): ColumnInput[] {
  const names = new Set(known.map(({ name }) => name))
  const kept = known.map((column) => given.find(({ name }) => name === column.name) ?? column)
  return [...kept, ...given.filter(({ name }) => !names.has(name))]
}

/** In the order of their names, so that the same schemas look the same. */
export async function schemaSpecs(catalog: Catalog, bucketId: string): Promise<Spec[]> {
  const schemas = await catalog.measurementSchemas.ofBucket(bucketId)
  const specs = schemas.map(({ name, body }) => ({ name, columns: body.columns }))
  return specs.sort((a, b) => (a.name < b.name ? -1 : 1))
}

const types = ['timestamp', 'tag', 'field'] as const
const dataTypes = ['integer', 'float', 'boolean', 'string', 'unsigned'] as const

function columnOf(spec: Spec): ColumnInput {
  const name = textOf(spec, 'name') ?? ''
  const givenType = textOf(spec, 'type')
  const type = types.find((known) => known === givenType)
  if (type === undefined) throw refused(`column ${JSON.stringify(name)}: missing type`)
  const given = textOf(spec, 'dataType') || undefined
  const dataType = dataTypes.find((known) => known === given)
  if (dataType === given) return dataType === undefined ? { name, type } : { name, type, dataType }
  throw refused(`column ${JSON.stringify(name)}: invalid dataType ${JSON.stringify(given)}`)
}

function refused(reason: string): UserError {
  return new UserError('unprocessable entity', reason)
}

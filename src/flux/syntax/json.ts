// Tree → the JSON of the interface (`/api/v2/query/ast`), in the fields and their order that InfluxDB
// sends: `type` first, then the place, errors and comments, then what the node has. Attributes and the
// defaults of label parameters are no part of it. Magnitudes of durations are JSON numbers there, so
// those beyond 2^53 lose their last digits.

import { UserError } from '../../errors.js'
import type { File, Package } from './ast.js'
import { treeDepthMax } from './syntax-errors.js'
import { tooDeep } from './token-stream.js'

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json }

/** What the interface calls a query's tree: a package of one file. */
export function packageOf(file: File): Package {
  return { type: 'Package', package: file.package?.name.name ?? 'main', files: [file] }
}

export function packageToJson(tree: Package): Json {
  return convert(tree, 0)
}

export function fileToJson(file: File): Json {
  return convert(file, 0)
}

const leftOut: ReadonlySet<string> = new Set(['attributes', 'commas', 'default'])

/** Wrappers such as items and lists have no depth of their own; twice the tree's is room for them. */
const jsonDepthMax = treeDepthMax * 3

function convert(value: unknown, depth: number): Json {
  if (depth > jsonDepthMax) throw new UserError('invalid', tooDeep)
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'object' || value === null) return value as Json
  if (Array.isArray(value)) return value.map((item) => convert(item, depth + 1))
  if ('type' in value && value.type === 'BadExpression') return null
  const fields: [string, Json][] = isDictItem(value) ? [['type', 'DictItem']] : []
  for (const [name, part] of Object.entries(value)) {
    if (!leftOut.has(name)) fields.push([name, convert(unwrap(name, part), depth + 1)])
  }
  return Object.fromEntries(fields)
}

function isDictItem(value: object): boolean {
  return 'key' in value && 'val' in value && !('type' in value)
}

/** The source of `{source with …}` stands in the interface without its comments. */
function unwrap(name: string, part: unknown): unknown {
  const isSource = name === 'with' && typeof part === 'object' && part !== null && 'source' in part
  return isSource ? part.source : part
}

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
  return convert(tree, 0, new Room())
}

export function fileToJson(file: File): Json {
  return convert(file, 0, new Room())
}

/** A node is some hundred characters in JSON, and has the text of all that is inside it besides. */
const nodesMax = 20_000
const sourceLengthMax = 8 << 20

/** What of an answer may still be made. */
class Room {
  #nodes = nodesMax
  #sourceLength = sourceLengthMax

  takeNode(): void {
    if (--this.#nodes < 0) throw tooLarge(`more than ${nodesMax} nodes`)
  }

  takeSource(text: string): void {
    this.#sourceLength -= text.length
    if (this.#sourceLength >= 0) return
    throw tooLarge(`more than ${sourceLengthMax} characters of text in its nodes`)
  }
}

function tooLarge(reason: string): UserError {
  return new UserError('invalid', `the syntax tree is too large to be sent: ${reason}`)
}

const leftOut: ReadonlySet<string> = new Set(['attributes', 'commas', 'default'])

/** Wrappers such as items and lists have no depth of their own; twice the tree's is room for them. */
const jsonDepthMax = treeDepthMax * 3

function convert(value: unknown, depth: number, room: Room): Json {
  if (depth > jsonDepthMax) throw new UserError('invalid', tooDeep)
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'object' || value === null) return value as Json
  if (Array.isArray(value)) return value.map((item) => convert(item, depth + 1, room))
  if ('type' in value && value.type === 'BadExpression') return null
  if ('type' in value) room.takeNode()
  if ('source' in value && typeof value.source === 'string') room.takeSource(value.source)
  const fields: [string, Json][] = isDictItem(value) ? [['type', 'DictItem']] : []
  for (const [name, part] of Object.entries(value)) {
    if (!leftOut.has(name)) fields.push([name, convert(unwrap(name, part), depth + 1, room)])
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

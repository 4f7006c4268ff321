// Everything that is wrong with a tree, in the order of the text and in Flux's words: errors that the parser
// left at the nodes, bad statements and expressions, records of mixed properties, and trees that are too
// deep for those who walk them. A tree without such errors is at most `treeDepthMax` nodes deep.

import type { NodeError, ObjectExpression, SourceLocation } from './ast.js'
import { tooDeep } from './token-stream.js'

export interface LocatedError {
  readonly location: SourceLocation
  readonly message: string
}

/** Long chains (`a or b or …`) are deep trees too. The limit is Flux's. */
export const treeDepthMax = 180

/** More are not collected: hostile text has one per character, and nobody reads them. */
export const errorCountMax = 1000

/** What all nodes have; the kinds are told apart by `type`. */
interface AnyNode {
  readonly type?: string
  readonly location: SourceLocation
  readonly errors?: readonly NodeError[]
}

/** The errors of a file, or of any other node. */
export function syntaxErrors(node: AnyNode): LocatedError[] {
  const errors: LocatedError[] = []
  collect(node, 1, errors)
  return errors.slice(0, errorCountMax)
}

/** `error file@1:2-1:5: message`, as the interface shows it. */
export function errorText({ location, message }: LocatedError): string {
  const { file = '', start, end } = location
  return `error ${file}@${start.line}:${start.column}-${end.line}:${end.column}: ${message}`
}

function collect(node: AnyNode, depth: number, errors: LocatedError[]): void {
  const { location } = node
  if (errors.length >= errorCountMax) return
  if (depth > treeDepthMax) {
    errors.push({ location, message: tooDeep })
    return
  }
  for (const { msg } of node.errors ?? []) errors.push({ location, message: msg })
  for (const message of ownErrors(node)) errors.push({ location, message })
  for (const part of Object.values(node)) collectFrom(part, depth, errors)
}

/** Parts are nodes, lists of nodes, or plain groups of nodes (a dictionary's item, the source of a `with`). */
function collectFrom(part: unknown, depth: number, errors: LocatedError[]): void {
  if (typeof part !== 'object' || part === null) return
  if ('location' in part) collect(part as AnyNode, depth + 1, errors)
  else if (Array.isArray(part)) for (const item of part) collectFrom(item, depth, errors)
  else if ('key' in part || 'source' in part) {
    for (const item of Object.values(part)) collectFrom(item, depth, errors)
  }
}

function ownErrors(node: AnyNode): string[] {
  const { text } = node as { text?: string }
  if (node.type === 'BadStatement') return [`invalid statement: ${text}`]
  if (node.type === 'BadExpression') return text === '' ? [] : [`invalid expression: ${text}`]
  if (node.type === 'ObjectExpression') return recordErrors(node as ObjectExpression)
  return []
}

function recordErrors(record: ObjectExpression): string[] {
  const properties = record.properties.filter(({ errors = [] }) => errors.length === 0)
  const implicit = properties.filter(({ value }) => value === null)
  const errors = implicit.flatMap(({ key }) =>
    key.type === 'StringLiteral' ? [`string literal key ${key.value} must have a value`] : [],
  )
  if (implicit.length > 0 && implicit.length < properties.length) {
    errors.push('cannot mix implicit and explicit properties')
  }
  return errors
}

// Which columns a row function looks at, read off its text: every `r.x` and `r["x"]` of its parameter,
// wherever it stands.

import type { FunctionExpression } from '../../../syntax/ast.js'

export function membersOf({ params, body }: FunctionExpression): ReadonlySet<string> {
  const found = new Set<string>()
  if (params.length === 0) return found
  const { key } = params[0]
  const row = key.type === 'Identifier' ? key.name : key.value
  // Trees of any node: whatever lies under one is a node, a list of nodes, or no matter here.
  const waiting: unknown[] = [body]
  while (waiting.length > 0) {
    const node = waiting.pop()
    if (typeof node !== 'object' || node === null) continue
    const member = memberOf(node, row)
    if (member !== undefined) found.add(member)
    waiting.push(...Object.values(node))
  }
  return found
}

function memberOf(node: object, row: string): string | undefined {
  if (!('type' in node) || node.type !== 'MemberExpression') return undefined
  const { object, property } = node as { object?: unknown; property?: unknown }
  if (!isNamed(object) || object.name !== row) return undefined
  if (isNamed(property)) return property.name
  const { value } = property as { value?: unknown }
  return typeof value === 'string' ? value : undefined
}

function isNamed(node: unknown): node is { readonly name: string } {
  return (node as { type?: unknown } | undefined)?.type === 'Identifier'
}

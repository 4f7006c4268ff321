// Ways through a syntax tree for those who are interested in a few kinds of nodes only: all nodes in the order of the
// text, and a copy with some of them replaced.

import type { Comment, Expression, File, Property, Statement } from '../syntax/ast.js'

export type AnyNode = File | Statement | Expression | Property

/** Without recursion: trees with errors may be as deep as their text is long. */
export function* nodesOf(root: AnyNode): Generator<AnyNode> {
  const rest: unknown[] = [root]
  while (rest.length > 0) {
    const next = rest.pop()
    if (typeof next !== 'object' || next === null) continue
    if ('type' in next) yield next as AnyNode
    const { location: _location, ...parts } = next as { location?: unknown }
    for (const part of Object.values(parts).reverse()) rest.push(part)
  }
}

/** A copy, without comments beside the nodes that stay as they are. */
export function withoutComments<Node>(node: Node): Node {
  return rewritten(node, () => undefined)
}

/** The same; what `replace` gives for a node stands in its place, and is not looked into. */
export function rewritten<Node>(node: Node, replace: (node: AnyNode) => AnyNode | undefined): Node {
  if (typeof node !== 'object' || node === null) return node
  if (Array.isArray(node)) return node.map((item) => rewritten(item, replace)) as Node
  const replaced = 'type' in node ? replace(node as unknown as AnyNode) : undefined
  if (replaced !== undefined) return replaced as Node
  const parts = Object.entries(node).filter(([, part]) => !isComments(part))
  return Object.fromEntries(
    parts.map(([name, part]) => [name, name === 'location' ? part : rewritten(part, replace)]),
  ) as Node
}

/** Also lists of such lists. */
function isComments(part: unknown): part is readonly Comment[] {
  if (!Array.isArray(part) || part.length === 0) return false
  return part.every((item) => isComments(item) || (isObject(item) && isComment(item)))
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isComment(value: object): boolean {
  return 'text' in value && !('type' in value)
}

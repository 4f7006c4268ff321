// Ways around several nodes of a graph: one that gives the same tables as the last of them, from what the
// first is given. Whoever makes the last node knows them and says so here; the planner takes them where
// the store does not do better.

import type { FluxContext } from '../evaluate/context.js'
import type { TableStream } from '../table/table.js'
import type { StreamNode } from './node.js'

export interface Shortcut {
  /** What comes before all the nodes that are left out. */
  readonly source: StreamNode
  run(input: TableStream, context: FluxContext): TableStream
}

const shortcuts = new WeakMap<StreamNode, Shortcut>()

export function setShortcut(node: StreamNode, shortcut: Shortcut | undefined): StreamNode {
  if (shortcut !== undefined) shortcuts.set(node, shortcut)
  return node
}

export function shortcutOf(node: StreamNode): Shortcut | undefined {
  return shortcuts.get(node)
}

// Literals that change from one request to the next, as numbered places in a tree: the right sides of
// comparisons in WHERE clauses. What is planned from such a tree holds for other literals of the same kind;
// `bindLiterals` puts them in.

import type { Expression, Select, Statement } from './ast.js'
import type { InfluxqlShape, SlotLiteral } from './query-shape.js'
import { mapExpression, someExpression, withSides } from './walk.js'

/** Literals by slot, of one request; undefined: those that are in the tree. */
export type SlotValues = readonly SlotLiteral[] | undefined

/** The statements with all literals of the shape numbered; undefined: some do not stand where they may change. */
export function numberSlots(
  statements: readonly Statement[],
  shape: InfluxqlShape,
): readonly Statement[] | undefined {
  const slots = new Slots(shape)
  const numbered = statements.map((each) => (each.kind === 'select' ? slots.select(each) : each))
  return slots.count === shape.literals.length ? numbered : undefined
}

class Slots {
  readonly #shape: InfluxqlShape
  /** By the place in the text. */
  readonly #slots: ReadonlyMap<number, number>
  count = 0

  constructor(shape: InfluxqlShape) {
    this.#shape = shape
    this.#slots = new Map(shape.places.map((place, slot) => [place, slot]))
  }

  select(select: Select): Select {
    return mapConditions(select, (condition) =>
      mapExpression(condition, (node) => this.#comparison(node)),
    )
  }

  #comparison(node: Expression): Expression {
    const slot = node.kind === 'binary' ? this.#slotOf(node.right) : -1
    // Literals alone are computed before anything is planned.
    if (slot < 0 || node.kind !== 'binary' || !hasReference(node.left)) return node
    this.count++
    return withSides(node, node.left, { ...node.right, slot } as SlotLiteral)
  }

  #slotOf(node: Expression): number {
    // The text is one line, so that a place is a character; that of a string is the one before it.
    const place = node.kind === 'string' ? (node.at?.char ?? -2) + 1 : (node.at?.char ?? -1)
    const slot = this.#slots.get(place) ?? -1
    return slot >= 0 && isSame(node, this.#shape.literals[slot]) ? slot : -1
  }
}

function hasReference(expression: Expression): boolean {
  return someExpression(expression, ({ kind }) => kind === 'reference')
}

function isSame(node: Expression, literal: SlotLiteral): boolean {
  if (node.kind !== literal.kind) return false
  if (node.kind === 'duration') return literal.kind === 'duration' && node.ns === literal.ns
  return 'value' in node && 'value' in literal && node.value === literal.value
}

/** The SELECT with these literals in its numbered places. */
export function bindLiterals(select: Select, literals: readonly SlotLiteral[]): Select {
  return mapConditions(select, (condition) => bindCondition(condition, literals))
}

export function bindCondition(condition: Expression, literals: readonly SlotLiteral[]): Expression {
  return mapExpression(condition, (node) => {
    switch (node.kind) {
      case 'string':
      case 'integer':
      case 'number':
      case 'duration':
        return node.slot === undefined ? node : literals[node.slot]
      default:
        return node
    }
  })
}

/** Of the SELECT and its subqueries. */
function mapConditions(select: Select, change: (condition: Expression) => Expression): Select {
  const { condition } = select
  return {
    ...select,
    sources: select.sources.map((source) =>
      source.kind === 'subquery'
        ? { ...source, select: mapConditions(source.select, change) }
        : source,
    ),
    condition: condition && change(condition),
  }
}

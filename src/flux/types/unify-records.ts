// Records become one by their labels, wherever they stand: equal labels pair by pair in their order,
// and what only one of the two has must fit into what the other leaves open. The pairs are found by a
// map, so that wide records are as cheap as narrow ones.

import { type Field, labelOf, RecordType, type Row, rowOf, type Type, Variable } from './terms.js'
import type { Unifier } from './unifier.js'

/** Such records wait until the rest of a call has told what the label is. */
export function hasOpenLabel(record: RecordType): boolean {
  return rowOf(record).fields.some((field) => labelOf(field) instanceof Variable)
}

export function unifyRecords(unifier: Unifier, a: RecordType, b: RecordType): void {
  const expected = rowOf(a)
  const found = rowOf(b)
  const ended = unifyFront(unifier, expected, found)
  // Copies: the rows may grow while their fields become one.
  const restA = expected.fields.slice(ended)
  const restB = found.fields.slice(ended)
  const { tail: tailA } = expected
  const { tail: tailB } = found
  const pairs = pairUp(restA, restB)
  if (pairs.onlyA.length > 0 && pairs.onlyB.length > 0 && isSameVariable(expected, found)) {
    unifier.fail({
      kind: 'mismatch',
      expected: new RecordType(restA, tailA),
      found: new RecordType(restB, tailB),
    })
    return
  }
  unifyRest(unifier, tailA, tailB, pairs)
}

function isSameVariable(a: Row, b: Row): boolean {
  return a.tail !== undefined && a.tail === b.tail
}

/** Most records have their fields in one order. Gives how many were equal. */
function unifyFront(unifier: Unifier, expected: Row, found: Row): number {
  const length = Math.min(expected.fields.length, found.fields.length)
  const isSame = isSameVariable(expected, found)
  for (let i = 0; i < length; i++) {
    const a = expected.fields[i]
    const b = found.fields[i]
    const label = labelOf(a)
    if (label !== labelOf(b)) return i
    const isLast = i + 1 === expected.fields.length && i + 1 === found.fields.length
    if (isSame && isLast) unifyNamed(unifier, a, b, labelText(label))
    else unifier.unify(a.type, b.type)
  }
  return length
}

function unifyNamed(unifier: Unifier, a: Field, b: Field, label: string): void {
  const outer = unifier.context
  const context = { kind: 'label', label, expected: a.type, found: b.type, outer } as const
  unifier.within(context, undefined, () => unifier.unify(a.type, b.type))
}

function labelText(label: ReturnType<typeof labelOf>): string {
  return typeof label === 'string' ? label : '<error>'
}

interface Pairs {
  readonly both: readonly (readonly [Field, Field])[]
  readonly onlyA: readonly Field[]
  readonly onlyB: readonly Field[]
}

function pairUp(restA: readonly Field[], restB: readonly Field[]): Pairs {
  if (restA.length === 0 || restB.length === 0) return { both: [], onlyA: restA, onlyB: restB }
  const waiting = new Map<ReturnType<typeof labelOf>, Field[]>()
  for (const field of restB) {
    const label = labelOf(field)
    const same = waiting.get(label)
    if (same === undefined) waiting.set(label, [field])
    else same.push(field)
  }
  const both: [Field, Field][] = []
  const onlyA: Field[] = []
  const paired = new Set<Field>()
  // Taken from the front by a count: `shift` in a loop would be slow where one label stands very often.
  const taken = new Map<ReturnType<typeof labelOf>, number>()
  for (const field of restA) {
    const label = labelOf(field)
    const count = taken.get(label) ?? 0
    const partner = waiting.get(label)?.[count]
    if (partner === undefined) {
      onlyA.push(field)
      continue
    }
    taken.set(label, count + 1)
    both.push([field, partner])
    paired.add(partner)
  }
  return { both, onlyA, onlyB: restB.filter((field) => !paired.has(field)) }
}

/** In the order in which Flux finds mistakes: fields too many, fields of another type, fields that are missing. */
function unifyRest(
  unifier: Unifier,
  tailA: Type | undefined,
  tailB: Type | undefined,
  { both, onlyA, onlyB }: Pairs,
): void {
  const isSplit = onlyA.length > 0 && onlyB.length > 0
  // What neither of them names yet.
  const shared = isSplit ? unifier.fresh() : undefined
  if (onlyB.length > 0) {
    if (tailA === undefined) failExtra(unifier, onlyB[0])
    else unifier.unify(tailA, new RecordType(onlyB, shared ?? tailB))
  }
  for (const [a, b] of both) unifier.unify(a.type, b.type)
  if (onlyA.length > 0) {
    if (tailB === undefined) failMissing(unifier, onlyA[0])
    else unifier.unify(new RecordType(onlyA, shared ?? tailA), tailB)
  } else if (onlyB.length === 0) {
    unifyTails(unifier, tailA, tailB)
  }
}

function unifyTails(unifier: Unifier, tailA: Type | undefined, tailB: Type | undefined): void {
  if (tailA === undefined && tailB === undefined) return
  const none = new RecordType([], undefined)
  unifier.unify(tailA ?? none, tailB ?? none)
}

/** A label that is an argument nobody gave stays open, and is no mistake. */
function failExtra(unifier: Unifier, field: Field): void {
  const label = labelOf(field)
  if (typeof label === 'string') unifier.fail({ kind: 'extra-label', label })
}

function failMissing(unifier: Unifier, field: Field): void {
  const label = labelOf(field)
  if (typeof label === 'string') unifier.fail({ kind: 'missing-label', label })
  else if (label.kind === 'error' && field.label instanceof Variable)
    unifier.fail({ kind: 'not-a-label', type: field.label })
}

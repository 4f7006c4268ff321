// Layouts that keep an opening on the line of what stands before it:
//
//     foo = (r) => {            foo =
//         …              or         (r) =>
//     }                                 …
//
// A hanging document is its openings from the outside in, its body, and its endings. The first of these that
// fits is taken: all openings on one line, all but the innermost, … , each on a line of its own.

import { choice, concat, type Doc, failIfBroken, group, isNil, nest, nil } from './layout.js'

export interface Opening {
  readonly prefix: Doc
  readonly suffix: Doc
  /** Whether what is inside is indented when it goes to the next line. */
  readonly isNested: boolean
}

export interface Hanging {
  /** From the inside out. */
  readonly openings: readonly Opening[]
  readonly body: Doc
}

export function opening(prefix: Doc, suffix: Doc = nil, isNested = true): Opening {
  return { prefix, suffix, isNested }
}

export function hanging(body: Doc, ...openings: readonly Opening[]): Hanging {
  return { openings, body }
}

/** With something behind the outermost opening, such as the space behind `=`. */
export function withPrefix(hang: Hanging, prefix: Doc): Hanging {
  const outermost = hang.openings.at(-1)
  if (outermost === undefined) return { openings: [], body: concat(prefix, hang.body) }
  const changed = { ...outermost, prefix: concat(prefix, outermost.prefix) }
  return { ...hang, openings: [...hang.openings.slice(0, -1), changed] }
}

export function within(hang: Hanging, outer: Opening): Hanging {
  return { ...hang, openings: [...hang.openings, outer] }
}

export function layHanging(hang: Hanging): Doc {
  const openings = hang.openings.toReversed()
  if (openings.length === 0) return hang.body
  let result = layWith(openings, openings.length, hang.body)
  for (let count = openings.length - 1; count >= 1; count--) {
    result = choice(result, layWith(openings, count, hang.body))
  }
  return result
}

/** The layout with this many openings on the first line. */
function layWith(openings: readonly Opening[], count: number, body: Doc): Doc {
  const before = openings.slice(0, count)
  const after = openings.slice(count)
  const isLast = count === 1
  const prefixes = concat(...before.map(({ prefix }) => prefix), isLast ? nil : failIfBroken)
  // Without any prefix nothing would indent the body, so it has to fit on the line.
  const isBare = !isLast && before.every(({ prefix }) => isNil(prefix))
  let inner = concat(
    nest(concat(body, isBare ? failIfBroken : nil)),
    ...after.map(({ suffix }) => suffix),
  )
  for (const { prefix, isNested } of after.toReversed()) {
    const doc = concat(prefix, inner)
    inner = group(isNested ? nest(doc) : doc)
  }
  return concat(group(prefixes), group(concat(inner, ...before.map(({ suffix }) => suffix))))
}

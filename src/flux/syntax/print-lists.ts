// Lists between brackets: on one line while they fit there and are short, else one item per line with a
// comma behind the last.

import {
  concat,
  type Doc,
  group,
  hardLine,
  ifBroken,
  isNil,
  line,
  lineOrNothing,
  nil,
  separated,
  text,
} from './layout.js'

/** Longer lists are always broken. */
export const itemsPerLineMax = 4

export interface Bracketed {
  readonly prefix: Doc
  readonly body: Doc
  readonly suffix: Doc
}

export function commaList(items: readonly Doc[], gap: Doc): Doc {
  if (items.length === 0) return nil
  return concat(separated(items.map(group), concat(',', gap)), ifBroken(text(',')))
}

/** The gaps of a list with this many items: between items, and inside the brackets. */
export function gapsOf(itemCount: number): { readonly gap: Doc; readonly edge: Doc } {
  return itemCount > itemsPerLineMax
    ? { gap: hardLine, edge: hardLine }
    : { gap: line, edge: lineOrNothing }
}

export function printItemList(
  open: string,
  close: string,
  items: readonly Doc[],
  closeComments: Doc,
): Bracketed {
  const { gap, edge } = gapsOf(items.length)
  return {
    prefix: text(open),
    body: concat(edge, commaList(items, gap)),
    suffix: concat(isNil(closeComments) ? edge : nil, closeComments, close),
  }
}

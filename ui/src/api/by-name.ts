// Lists in the order in which people look for names. The rules of languages take a browser some 15 ms to load, with
// the page waiting: names of plain letters, digits and signs do without them.

const plain = /^[\x20-\x7e]*$/

/** One rule for the whole list: two of them would not be an order. */
export function sortedByName<T extends { readonly name: string }>(list: readonly T[]): T[] {
  if (!list.every(({ name }) => plain.test(name)))
    return list.toSorted((a, b) => a.name.localeCompare(b.name))
  const keyed = list.map((each) => ({ each, key: each.name.toLowerCase() }))
  return keyed.toSorted((a, b) => compare(a.key, b.key)).map(({ each }) => each)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

// The keys of groups and their order: rules of every engine. A group is known by the values of the tags that it was
// grouped by, in the order in which they were listed; a series without a tag has the empty value.

import { compareUtf8, type Series } from '../column/series.js'

export function compareGroups(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < a.length; i++) {
    const order = compareUtf8(a[i], b[i])
    if (order !== 0) return order
  }
  return 0
}

export function groupKey(
  measurement: string,
  tags: readonly string[],
  values: readonly string[],
): Series {
  const own = tags
    .map((key, i) => ({ key, value: values[i] }))
    .filter(({ value }) => value !== '')
    .sort((a, b) => compareUtf8(a.key, b.key))
  return { measurement, tags: own }
}

// The order of series in answers: by measurement, then tag by tag, as InfluxDB sorts them. The store
// sorts by the bytes of the keys, where `m,t=a!` stands before `m,t=a,u=b`.

import { compareUtf8, type Series } from '../../column/series.js'

export function compareSeries(a: Series, b: Series): number {
  const byName = compareUtf8(a.measurement, b.measurement)
  if (byName !== 0) return byName
  const count = Math.min(a.tags.length, b.tags.length)
  for (let i = 0; i < count; i++) {
    const byKey = compareUtf8(a.tags[i].key, b.tags[i].key)
    if (byKey !== 0) return byKey
    const byValue = compareUtf8(a.tags[i].value, b.tags[i].value)
    if (byValue !== 0) return byValue
  }
  return a.tags.length - b.tags.length
}

/** Sorted and without repetitions. */
export function sortedNames(names: readonly string[]): readonly string[] {
  const isSorted = names.every((name, i) => i === 0 || compareUtf8(names[i - 1], name) < 0)
  return isSorted ? names : [...new Set(names)].sort(compareUtf8)
}

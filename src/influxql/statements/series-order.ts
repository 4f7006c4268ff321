// The order of series in answers where several stores' lists are brought together: by measurement, then tag by tag, as
// InfluxDB sorts them and each list comes. The bytes of keys sort otherwise: `m,t=a!` stands before `m,t=a,u=b`.

import { compareUtf8, type Series, seriesKey } from '../../column/series.js'

/**
 * A text that sorts as the series does, and from which its key can be had: names and values with marks between them
 * that are smaller than every character. Characters as small as the marks stand behind an escape, which keeps their
 * order.
 */
export function orderText({ measurement, tags }: Series): string {
  let text = marked(measurement)
  for (const { key, value } of tags) text += `\u0000${marked(key)}\u0001${marked(value)}`
  return text
}

export function keyOfOrderText(text: string): string {
  const [measurement, ...rest] = text.split('\u0000')
  const tags = rest.map((part) => {
    const at = part.indexOf('\u0001')
    return { key: unmarked(part.slice(0, at)), value: unmarked(part.slice(at + 1)) }
  })
  return seriesKey({ measurement: unmarked(measurement), tags })
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the marks
const small = /[\u0000-\u0002]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the marks
const escaped = /\u0002([012])/g

function marked(text: string): string {
  return text.search(small) >= 0
    ? text.replace(small, (found) => `\u0002${found.charCodeAt(0)}`)
    : text
}

function unmarked(text: string): string {
  return text.includes('\u0002')
    ? text.replace(escaped, (_, digit: string) => String.fromCharCode(Number(digit)))
    : text
}

/** Sorted and without repetitions. */
export function sortedNames(names: readonly string[]): readonly string[] {
  const isSorted = names.every((name, i) => i === 0 || compareUtf8(names[i - 1], name) < 0)
  return isSorted ? names : [...new Set(names)].sort(compareUtf8)
}

// Series: a measurement and its sorted tags. The canonical key of a series is its line protocol
// spelling with sorted tags and minimal escapes (`cpu,host=a,rack=7`): unique, readable, and what
// most writers send byte for byte. "Series in key order" everywhere means: ordered by the bytes of
// this key.

export interface Tag {
  readonly key: string
  readonly value: string
}

export interface Series {
  readonly measurement: string
  /** Sorted by key (UTF-8 byte order), keys unique, values not empty. */
  readonly tags: readonly Tag[]
}

/** Numbered canonical series keys, only ever added to. A writer's rows name series by these numbers. */
export interface SeriesKeys {
  readonly count: number
  /** The canonical key's bytes; valid until the next key is added. */
  key(id: number): Uint8Array
  /** What the store that was written to last knows of these keys; nobody else looks at it. */
  resolved?: ResolvedKeys | undefined
}

export interface ResolvedKeys {
  /** Whose numbers they are. */
  readonly owner: object
  /** By number of the key. */
  ids: Uint32Array
}

const needsEscape = /[, =]/g
const measurementNeedsEscape = /[, ]/g

export function escapeMeasurement(name: string): string {
  return name.replace(measurementNeedsEscape, '\\$&')
}

/** For tag keys, tag values and field keys. */
export function escapeName(name: string): string {
  return name.replace(needsEscape, '\\$&')
}

export function seriesKey(series: Series): string {
  let key = escapeMeasurement(series.measurement)
  for (const tag of series.tags) key += `,${escapeName(tag.key)}=${escapeName(tag.value)}`
  return key
}

const comma = 44
const equals = 61
const backslash = 92

/**
 * Reads a canonical key back. A byte right after a backslash never separates; the backslash itself
 * goes before comma, equals sign and space.
 */
export function parseSeriesKey(key: Uint8Array): Series {
  const parts = splitKey(key)
  const tags: Tag[] = []
  for (let i = 1; i + 1 < parts.length; i += 2) tags.push({ key: parts[i], value: parts[i + 1] })
  return { measurement: parts[0], tags }
}

function splitKey(key: Uint8Array): string[] {
  const bytes = Buffer.from(key.buffer, key.byteOffset, key.byteLength)
  // One call for the whole key where bytes are characters: each costs as much as a short key.
  const whole = isAscii(key) ? bytes.toString('latin1') : undefined
  const part = (start: number, stop: number): string =>
    whole === undefined ? bytes.toString('utf8', start, stop) : whole.slice(start, stop)
  const parts: string[] = []
  let start = 0
  let inMeasurement = true
  let inTagKey = false
  for (let i = 1; i < key.length; i++) {
    const c = key[i]
    if ((c !== comma && c !== equals) || key[i - 1] === backslash) continue
    if (c === comma || inTagKey) {
      parts.push(unescapePart(part(start, i), inMeasurement))
      inTagKey = c === comma
      inMeasurement = false
      start = i + 1
    }
  }
  parts.push(unescapePart(part(start, key.length), inMeasurement))
  return parts
}

function isAscii(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] > 127) return false
  return true
}

function unescapePart(text: string, isMeasurement: boolean): string {
  if (!text.includes('\\')) return text
  return text.replace(isMeasurement ? /\\([, ])/g : /\\([, =])/g, '$1')
}

/** Orders strings as their UTF-8 bytes: JavaScript's own order differs beyond U+FFFF. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x === y) continue
    const xIsHalf = x >= 0xd800 && x <= 0xdfff
    const yIsHalf = y >= 0xd800 && y <= 0xdfff
    // Halves of a pair stand for something above all of U+E000 to U+FFFF.
    if (xIsHalf !== yIsHalf) return xIsHalf ? 1 : -1
    return x - y
  }
  return a.length - b.length
}

/** Orders series as answers name them: by measurement, then tag by tag. The bytes of their keys sort otherwise. */
export function compareByTags(a: Series, b: Series): number {
  const difference = compareUtf8(a.measurement, b.measurement)
  if (difference !== 0) return difference
  const count = Math.min(a.tags.length, b.tags.length)
  for (let i = 0; i < count; i++) {
    const [x, y] = [a.tags[i], b.tags[i]]
    const between = compareUtf8(x.key, y.key) || compareUtf8(x.value, y.value)
    if (between !== 0) return between
  }
  return a.tags.length - b.tags.length
}

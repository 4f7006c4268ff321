// What the properties of a cell say, read with care: nobody has checked them, and other programs leave members out.
// Changes are made beside what is there, so that members which are not known here stay.

import type { ViewProperties } from '../api/dashboard-types.js'
import { type ViewKind, viewKinds } from '../api/new-cells.js'
import type { Threshold } from '../chart/colours.js'
import type { ValueFormat } from '../chart/format.js'
import { isLanguage, type Language } from '../query/language.js'

export function kindOf({ type }: ViewProperties): ViewKind | undefined {
  return viewKinds.find(({ value }) => value === type)?.value
}

/** Other programs give this name to cells that nobody has named. */
const nameless = 'Name this Cell'

export function shownName({ name }: { readonly name: string }): string {
  return name === nameless ? '' : name
}

export interface CellQuery {
  readonly text: string
  readonly language: Language
  /** By name; InfluxQL and SQL read it. */
  readonly bucket: string | undefined
}

type Members = Readonly<Record<string, unknown>>

export function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Members)
    : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

export function textsOf(value: unknown): string[] {
  return listOf(value).filter((item) => typeof item === 'string')
}

export function queriesOf({ queries }: ViewProperties): CellQuery[] {
  return listOf(queries).map((query) => {
    const { text, language, bucket, builderConfig } = membersOf(query)
    const [built] = textsOf(membersOf(builderConfig).buckets)
    return {
      text: textOf(text),
      language: isLanguage(language as string) ? (language as Language) : 'flux',
      bucket: textOf(bucket) || built,
    }
  })
}

/** The query at that place with the change; what else it has stays. */
export function withQuery(
  properties: ViewProperties,
  index: number,
  change: Partial<CellQuery>,
): ViewProperties {
  const queries = listOf(properties.queries).map((query, i) =>
    i === index ? { ...membersOf(query), ...change } : query,
  )
  return { ...properties, queries }
}

export interface Axis {
  readonly label: string
  readonly format: ValueFormat
  readonly low: number | undefined
  readonly high: number | undefined
}

export function axisOf({ axes }: ViewProperties, name: 'x' | 'y'): Axis {
  const { label, prefix, suffix, base, bounds } = membersOf(membersOf(axes)[name])
  const [low, high] = listOf(bounds)
  return {
    label: textOf(label),
    format: { prefix: textOf(prefix), suffix: textOf(suffix), ...baseOf(base) },
    low: numberOf(low),
    high: numberOf(high),
  }
}

/** Kinds that keep an axis in members of their own. */
export function flatAxisOf(properties: ViewProperties, name: 'x' | 'y'): Axis {
  const [low, high] = listOf(properties[`${name}Domain`])
  const [prefix, suffix] = [properties[`${name}Prefix`], properties[`${name}Suffix`]].map(textOf)
  return {
    label: textOf(properties[`${name}AxisLabel`]),
    format: { prefix, suffix },
    low: numberOf(low),
    high: numberOf(high),
  }
}

function baseOf(base: unknown): { base?: string } {
  return base === '2' || base === '10' ? { base } : {}
}

/** Of the one value that a number or a gauge shows. */
export function valueFormatOf(properties: ViewProperties): ValueFormat {
  const { prefix, suffix } = properties
  return { prefix: textOf(prefix), suffix: textOf(suffix), ...digitsOf(properties) }
}

export function digitsOf({ decimalPlaces }: ViewProperties): { digits?: number } {
  const { isEnforced, digits } = membersOf(decimalPlaces)
  const number = numberOf(digits)
  return isEnforced === true && number !== undefined ? { digits: Math.max(0, number) } : {}
}

export function tickFormatOf({ tickPrefix, tickSuffix, ...rest }: ViewProperties): ValueFormat {
  // Older cells say whether the value's own prefix is used, newer ones which.
  const { prefix, suffix } = rest
  const used = (tick: unknown, own: unknown) => (tick === true ? textOf(own) : textOf(tick))
  return { prefix: used(tickPrefix, prefix), suffix: used(tickSuffix, suffix) }
}

export interface StoredColour {
  readonly type: string
  readonly hex: string
  readonly value: number
}

export function coloursOf({ colors }: ViewProperties): StoredColour[] {
  return listOf(colors).flatMap((colour) => {
    if (typeof colour === 'string') return [{ type: 'scale', hex: colour, value: 0 }]
    const { type, hex, value } = membersOf(colour)
    if (typeof hex !== 'string') return []
    return [{ type: textOf(type), hex, value: numberOf(value) ?? 0 }]
  })
}

export function thresholdsOf(properties: ViewProperties, types: readonly string[]): Threshold[] {
  return coloursOf(properties)
    .filter(({ type }) => types.includes(type))
    .map(({ value, hex }) => ({ value, colour: hex }))
}

/** Of series, in order; empty: the page's own. */
export function scaleOf(properties: ViewProperties): string[] {
  return coloursOf(properties)
    .filter(({ type }) => type === 'scale')
    .map(({ hex }) => hex)
}

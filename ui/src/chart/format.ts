// How values of a chart are written: prefix, suffix, decimal places,
// powers of ten or of two, as a cell says.

import { numberText } from '../parts/figures.js'

export interface ValueFormat {
  readonly prefix?: string
  readonly suffix?: string
  readonly digits?: number
  readonly base?: string
}

const thousands = ['', 'k', 'M', 'G', 'T', 'P']
const binary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi']

export function valueText(value: number, format: ValueFormat = {}): string {
  const { prefix = '', suffix = '' } = format
  return `${prefix}${plainText(value, format)}${suffix}`
}

export function axisText(value: number | null, format: ValueFormat = {}): string {
  if (value === null) return ''
  const { prefix = '', suffix = '' } = format
  return `${prefix}${scaled(value, format.base ?? '10', undefined)}${suffix}`
}

function plainText(value: number, { digits, base }: ValueFormat): string {
  if (base === '2' || base === '10') return scaled(value, base, digits)
  if (digits === undefined) return numberText(value)
  return new Intl.NumberFormat('en-US', { maximumFractionDigits: Math.min(digits, 10) }).format(
    value,
  )
}

function scaled(value: number, base: string, digits: number | undefined): string {
  const step = base === '2' ? 1024 : 1000
  const units = base === '2' ? binary : thousands
  let [size, unit] = [value, 0]
  const least = base === '2' ? 1024 : 10_000
  if (Math.abs(value) >= least) {
    while (Math.abs(size) >= step && unit < units.length - 1) {
      size /= step
      unit++
    }
  }
  const text = new Intl.NumberFormat('en-US', {
    ...(digits === undefined
      ? { maximumSignificantDigits: 6 }
      : { maximumFractionDigits: Math.min(digits, 10) }),
  }).format(size)
  return `${text}${units[unit] === '' ? '' : ` ${units[unit]}`}`
}

export function momentLabel(ms: number): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' }).format(ms)
}

// How values of a chart are written: prefix, suffix, decimal places,
// powers of ten or of two, as a cell says.

import { numberText, once, sixDigits } from '../parts/figures.js'
import { shownDate, shownZone } from '../query/time-zone.js'

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
  return `${prefix}${scaled(value, format.base ?? '10', undefined, fourDigits)}${suffix}`
}

function plainText(value: number, { digits, base }: ValueFormat): string {
  if (base === '2' || base === '10') return scaled(value, base, digits)
  if (digits === undefined) return numberText(value)
  return withPlaces(value, digits)
}

const placesMax = 10
/** By how many digits stand behind the point: making one takes longer than a hundred numbers do. */
const placeFormats = Array.from({ length: placesMax + 1 }, (_, places) =>
  once(() => {
    const form = { minimumFractionDigits: places, maximumFractionDigits: places }
    return new Intl.NumberFormat('en-US', form)
  }),
)

/** All of them: numbers below each other have their points below each other. */
function withPlaces(value: number, digits: number): string {
  return placeFormats[Math.min(Math.max(Math.trunc(digits), 0), placesMax)]().format(value)
}

const fourDigits = once(() => new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4 }))

function scaled(
  value: number,
  base: string,
  digits: number | undefined,
  significant = sixDigits,
): string {
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
  const text = digits === undefined ? significant().format(size) : withPlaces(size, digits)
  return `${text}${units[unit] === '' ? '' : ` ${units[unit]}`}`
}

export function momentLabel(ms: number): string {
  const form = { dateStyle: 'medium', timeStyle: 'medium', timeZone: shownZone() } as const
  return new Intl.DateTimeFormat(undefined, form).format(ms)
}

const dayMs = 86_400_000

/** At an axis of time, with steps so long; midnights tell their day. */
export function timeTick(ms: number, stepMs: number): string {
  const at = shownDate(ms)
  const isMidnight = at.getHours() === 0 && at.getMinutes() === 0 && at.getSeconds() === 0
  if (stepMs >= 28 * dayMs) return tickForms.month().format(at)
  if (stepMs >= dayMs || isMidnight) return tickForms.day().format(at)
  return (stepMs >= 60_000 ? tickForms.minute : tickForms.second)().format(at)
}

function tickForm(form: Intl.DateTimeFormatOptions) {
  return once(() => new Intl.DateTimeFormat(undefined, form))
}

const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const tickForms = {
  month: tickForm({ month: 'short', year: 'numeric' }),
  day: tickForm({ month: 'short', day: 'numeric' }),
  minute: tickForm(clock),
  second: tickForm({ ...clock, second: '2-digit' }),
}

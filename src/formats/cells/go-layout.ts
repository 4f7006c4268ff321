// Times in a layout that is written as Go writes it, by the example of Mon Jan 2 15:04:05 2006 MST: `02.01.2006 15:04`.
// A layout becomes one regular expression whose groups are the parts of a moment.

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

export interface Moment {
  readonly year: number
  /** From 1. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly nanosecond: number
  /** Absent: the text names none. */
  readonly offsetSeconds: number | undefined
}

/** Longest first: `January` before `Jan`, `2006` before `2`. */
const elements: readonly (readonly [element: string, pattern: string])[] = [
  ['January', '(?<monthName>[A-Za-z]{3,9})'],
  ['Monday', '[A-Za-z]+'],
  ['Z07:00', '(?<zone>Z|[+-]\\d\\d:\\d\\d)'],
  ['-07:00', '(?<zone>[+-]\\d\\d:\\d\\d)'],
  ['Z0700', '(?<zone>Z|[+-]\\d{4})'],
  ['-0700', '(?<zone>[+-]\\d{4})'],
  ['2006', '(?<year>\\d{4})'],
  ['Jan', '(?<monthName>[A-Za-z]{3})'],
  ['Mon', '[A-Za-z]{3}'],
  ['MST', '(?<zoneName>[A-Z]{3,4})'],
  ['-07', '(?<zone>[+-]\\d\\d)'],
  ['01', '(?<month>\\d\\d)'],
  ['02', '(?<day>\\d\\d)'],
  ['03', '(?<hour12>\\d\\d)'],
  ['04', '(?<minute>\\d\\d)'],
  ['05', '(?<second>\\d\\d)'],
  ['06', '(?<year2>\\d\\d)'],
  ['15', '(?<hour>\\d\\d)'],
  ['PM', '(?<half>AM|PM)'],
  ['pm', '(?<half>am|pm)'],
  ['_2', '(?<day>[ \\d]\\d)'],
  ['1', '(?<month>\\d\\d?)'],
  ['2', '(?<day>\\d\\d?)'],
  ['3', '(?<hour12>\\d\\d?)'],
  ['4', '(?<minute>\\d\\d?)'],
  ['5', '(?<second>\\d\\d?)'],
]

/** Reads texts of a layout; undefined where one does not fit. */
export function layoutReader(layout: string): (text: string) => Moment | undefined {
  const pattern = new RegExp(`^${patternOf(layout)}$`)
  return (text) => {
    const parts = pattern.exec(text)?.groups
    return parts === undefined ? undefined : momentOf(parts)
  }
}

function patternOf(layout: string): string {
  let pattern = ''
  const used = new Set<string>()
  for (let at = 0; at < layout.length; ) {
    const fraction = /^[.,](0+|9+)(?!\d)/.exec(layout.slice(at))
    const found = elements.find(([element]) => layout.startsWith(element, at))
    const [text, part] =
      fraction !== null
        ? [fraction[0], '[.,](?<fraction>\\d{1,9})']
        : (found ?? [layout[at], layout[at].replace(/[.*+?^${}()|[\]\\]/g, '\\$&')])
    const name = /\?<(\w+)>/.exec(part)?.[1] ?? ''
    // A part that is named twice is taken from its first place.
    pattern += used.has(name) ? part.replace(/\?<\w+>/, '?:') : part
    if (name !== '') used.add(name)
    // Go reads a fraction behind the seconds also where the layout has none.
    const isLast = !/^[.,]/.test(layout.slice(at + text.length))
    if (name === 'second' && isLast && !used.has('fraction')) {
      pattern += '(?:[.,](?<fraction>\\d{1,9}))?'
      used.add('fraction')
    }
    at += text.length
  }
  return pattern
}

function momentOf(parts: Readonly<Record<string, string | undefined>>): Moment | undefined {
  const name = parts.monthName?.slice(0, 3).toLowerCase()
  const month = name === undefined ? Number(parts.month ?? 1) : months.indexOf(name) + 1
  const day = Number(parts.day ?? 1)
  const year2 = Number(parts.year2 ?? 0)
  const year = parts.year === undefined ? year2 + (year2 < 69 ? 2000 : 1900) : Number(parts.year)
  const hour = hourOf(parts)
  const [minute, second] = [Number(parts.minute ?? 0), Number(parts.second ?? 0)]
  const isMoment = month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month)
  if (!isMoment || hour > 23 || minute > 59 || second > 59) return undefined
  const nanosecond = Number((parts.fraction ?? '').padEnd(9, '0'))
  return { year, month, day, hour, minute, second, nanosecond, offsetSeconds: offsetOf(parts) }
}

function hourOf({ hour, hour12, half }: Readonly<Record<string, string | undefined>>): number {
  if (hour12 === undefined) return Number(hour ?? 0)
  const value = Number(hour12) % 12
  return half?.toLowerCase() === 'pm' ? value + 12 : value
}

export function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}

function offsetOf({
  zone,
  zoneName,
}: Readonly<Record<string, string | undefined>>): number | undefined {
  if (zone !== undefined) return offsetSeconds(zone)
  return zoneName === 'UTC' || zoneName === 'GMT' ? 0 : undefined
}

/** Of `Z`, `+01`, `+0100` or `+01:00`; undefined: of no offset. */
export function offsetSeconds(text: string): number | undefined {
  if (text === 'Z' || text === 'z') return 0
  const match = /^([+-])(\d\d):?(\d\d)?$/.exec(text)
  if (match === null) return undefined
  const seconds = Number(match[2]) * 3600 + Number(match[3] ?? 0) * 60
  return match[1] === '-' ? -seconds : seconds
}

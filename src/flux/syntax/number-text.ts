// Everything that begins with a digit: integers, floats, durations, dates and times. They share their
// beginnings (`2018`, `2018.5`, `2018y`, `2018-01-01`), and the longest one that fits counts.

export interface NumberToken {
  readonly kind: 'INT' | 'FLOAT' | 'DURATION' | 'TIME'
  readonly end: number
}

/** The number at the offset, or null. */
export function scanNumber(text: string, start: number): NumberToken | null {
  const end = digitsEnd(text, start)
  if (end === start) return scanFraction(text, start)
  if (end - start === 4) {
    const time = timeEnd(text, start)
    if (time > 0) return { kind: 'TIME', end: time }
  }
  if (text[end] === '.') return { kind: 'FLOAT', end: digitsEnd(text, end + 1) }
  const duration = durationEnd(text, start)
  return duration > 0 ? { kind: 'DURATION', end: duration } : { kind: 'INT', end }
}

/** `.5` is a float. */
function scanFraction(text: string, start: number): NumberToken | null {
  if (text[start] !== '.') return null
  const end = digitsEnd(text, start + 1)
  return end === start + 1 ? null : { kind: 'FLOAT', end }
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57
}

function digitsEnd(text: string, start: number): number {
  let end = start
  while (isDigit(text.charCodeAt(end))) end++
  return end
}

/** The offset behind the longest run of magnitudes with units, 0 if there is none. */
function durationEnd(text: string, start: number): number {
  let end = 0
  let at = start
  for (;;) {
    const unitStart = digitsEnd(text, at)
    if (unitStart === at) return end
    const width = unitWidth(text, unitStart)
    if (width === 0) return end
    end = unitStart + width
    at = end
  }
}

function unitWidth(text: string, at: number): number {
  const pair = text.slice(at, at + 2)
  if (['mo', 'ms', 'us', 'µs', 'ns'].includes(pair)) return 2
  const first = text[at]
  return first !== undefined && 'ywdhms'.includes(first) ? 1 : 0
}

const dateShape = /\d{4}-\d{2}-\d{2}/y
const clockShape = /T\d{2}:\d{2}:\d{2}/y
const offsetShape = /Z|[+-]\d{2}:\d{2}/y

function shapeEnd(shape: RegExp, text: string, at: number): number {
  shape.lastIndex = at
  return shape.test(text) ? shape.lastIndex : 0
}

/** The offset behind the date and, if it is complete, the time of day; 0 if there is no date. */
function timeEnd(text: string, start: number): number {
  const date = shapeEnd(dateShape, text, start)
  if (date === 0) return 0
  const clock = shapeEnd(clockShape, text, date)
  if (clock === 0) return date
  const fraction = text[clock] === '.' ? digitsEnd(text, clock + 1) : clock
  return shapeEnd(offsetShape, text, fraction) || fraction
}

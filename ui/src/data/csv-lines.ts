// CSV as line protocol: each column becomes a tag, a field, the time, or nothing. What a column seems to be is guessed
// from its first rows; rows that cannot be written are told with their number and left out.

import { splitQuoted } from '../query/annotated-csv.js'

export type Role = 'tag' | 'field' | 'time' | 'ignore'

export interface CsvColumn {
  readonly name: string
  readonly role: Role
  /** Of fields: whether its values are numbers. */
  readonly isNumber: boolean
}

export interface Csv {
  readonly names: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

export interface ConvertedLines {
  readonly lines: readonly string[]
  readonly refused: readonly { readonly row: number; readonly reason: string }[]
}

export function readCsv(text: string): Csv {
  const rows = text
    .split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(splitQuoted)
  const [names = [], ...rest] = rows
  return { names, rows: rest }
}

const guessedRows = 50
const numberPattern = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/

export function guessColumns({ names, rows }: Csv): CsvColumn[] {
  const sample = rows.slice(0, guessedRows)
  let hasTime = false
  return names.map((name, index) => {
    const values = sample.map((row) => row[index] ?? '').filter((value) => value !== '')
    const isNumber = values.length > 0 && values.every((value) => numberPattern.test(value))
    const isNamedTime = /^_?(time|timestamp|date)$/i.test(name)
    // A few bad values are told as they are imported.
    const timeCount = values.filter((value) => timeOf(value) !== undefined).length
    const looksLikeTime = isNamedTime && timeCount > values.length / 2
    if (!hasTime && looksLikeTime) {
      hasTime = true
      return { name, role: 'time', isNumber: false }
    }
    if (name === '') return { name, role: 'ignore', isNumber }
    return { name, role: isNumber ? 'field' : 'tag', isNumber }
  })
}

/** Milliseconds since 1970, of a date or of a number in whichever unit has so many digits. */
export function timeOf(text: string): number | undefined {
  if (/^\d{9,19}$/.test(text)) {
    const power = text.length <= 11 ? 3 : text.length <= 14 ? 0 : text.length <= 17 ? -3 : -6
    return Math.floor(Number(text) * 10 ** power)
  }
  const ms = Date.parse(text)
  return /\d{4}/.test(text) && !Number.isNaN(ms) ? ms : undefined
}

export function toLines(
  csv: Csv,
  columns: readonly CsvColumn[],
  measurement: string,
): ConvertedLines {
  const lines: string[] = []
  const refused: { row: number; reason: string }[] = []
  csv.rows.forEach((cells, index) => {
    const made = lineOf(cells, columns, measurement)
    if (typeof made === 'string') lines.push(made)
    // The header is the first row.
    else refused.push({ row: index + 2, reason: made.reason })
  })
  return { lines, refused }
}

function lineOf(
  cells: readonly string[],
  columns: readonly CsvColumn[],
  measurement: string,
): string | { readonly reason: string } {
  let [tags, time] = ['', '']
  const fields: string[] = []
  for (const [index, { name, role, isNumber }] of columns.entries()) {
    const value = cells[index] ?? ''
    if (value === '' || role === 'ignore') continue
    if (role === 'tag') tags += `,${keyText(name)}=${keyText(value)}`
    else if (role === 'time') {
      const ms = timeOf(value)
      if (ms === undefined) return { reason: `"${value}" is no time` }
      time = ` ${ms}`
    } else if (isNumber && !numberPattern.test(value))
      return { reason: `${name}: "${value}" is no number` }
    else fields.push(`${keyText(name)}=${isNumber ? value : stringText(value)}`)
  }
  if (fields.length === 0) return { reason: 'it has no field' }
  return `${keyText(measurement).replaceAll('\\=', '=')}${tags} ${fields.join(',')}${time}`
}

function keyText(text: string): string {
  return text.replace(/[,= ]/g, '\\$&').replaceAll('\n', ' ')
}

function stringText(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`
}

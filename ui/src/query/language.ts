// How a text in one of the three languages becomes a request: range and window go along as Flux's `v`, and in the
// place of `$timeFilter`, `$from`, `$to` and `$window` in InfluxQL and SQL, printed as literals, never within
// quotes.

import { type Moments, windowText } from './time-range.js'

export type Language = 'influxql' | 'flux' | 'sql'

export const languages: readonly { readonly value: Language; readonly label: string }[] = [
  { value: 'influxql', label: 'InfluxQL' },
  { value: 'flux', label: 'Flux' },
  { value: 'sql', label: 'SQL' },
]

export function isLanguage(text: string | null | undefined): text is Language {
  return text === 'influxql' || text === 'flux' || text === 'sql'
}

/** Values of a dashboard's variables, by name. */
export type Variables = Readonly<Record<string, string>>

export interface Question {
  readonly language: Language
  readonly text: string
  readonly orgId: string
  /** InfluxQL and SQL read one bucket; Flux names its own. */
  readonly bucketId: string | undefined
  readonly moments: Moments
  readonly windowSeconds: number
  readonly variables?: Variables
}

/** The text as the service gets it: for InfluxQL and SQL with range and window in their places. */
export function boundText(question: Question): string {
  const { language, text, moments, windowSeconds, variables = {} } = question
  if (language === 'flux') return text
  const [from, to] = [iso(moments.from), iso(moments.to)]
  const isSql = language === 'sql'
  const values: Record<string, string> = {}
  for (const [name, value] of Object.entries(variables)) {
    values[name] = `'${isSql ? value.replaceAll("'", "''") : value.replace(/[\\']/g, '\\$&')}'`
  }
  // Range and window are these names' own: a variable that is called so does not hide them.
  Object.assign(values, {
    timeFilter: `time >= '${from}' AND time < '${to}'`,
    from: isSql ? `TIMESTAMP '${from}'` : `'${from}'`,
    to: isSql ? `TIMESTAMP '${to}'` : `'${to}'`,
    window: isSql ? `INTERVAL '${windowSeconds} seconds'` : windowText(windowSeconds),
  })
  return replaceOutsideQuotes(text, values)
}

/** Quoted names, texts, regular expressions and comments are left as they are. */
export function replaceOutsideQuotes(
  text: string,
  values: Readonly<Record<string, string>>,
): string {
  const parts = /'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w+)/g
  return text.replace(parts, (found, name: string | undefined) =>
    name !== undefined && Object.hasOwn(values, name) ? values[name] : found,
  )
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}

/** `option v = {timeRangeStart: …, timeRangeStop: …, windowPeriod: …}`, as InfluxDB's own pages send it. */
export function externOf({ moments, windowSeconds, variables = {} }: Question): object {
  const moment = (ms: number) => ({ type: 'DateTimeLiteral', value: iso(ms) })
  const values: Record<string, object> = {}
  for (const [name, value] of Object.entries(variables)) {
    values[name] = { type: 'StringLiteral', value }
  }
  Object.assign(values, {
    timeRangeStart: moment(moments.from),
    timeRangeStop: moment(moments.to),
    windowPeriod: {
      type: 'DurationLiteral',
      values: [{ magnitude: Math.round(windowSeconds * 1000), unit: 'ms' }],
    },
  })
  const properties = Object.entries(values).map(([name, value]) => ({
    type: 'Property',
    key: { type: 'Identifier', name },
    value,
  }))
  const assignment = {
    type: 'VariableAssignment',
    id: { type: 'Identifier', name: 'v' },
    init: { type: 'ObjectExpression', properties },
  }
  return {
    type: 'File',
    package: null,
    imports: null,
    body: [{ type: 'OptionStatement', assignment }],
  }
}

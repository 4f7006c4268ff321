// Prometheus's text format: a sample per line, `name{label="value"} number milliseconds`, and comments of which those
// that tell a metric's type matter. Samples of histograms and summaries are told under the metric's own name, with
// the bound of the bucket or the quantile as a label.

import { UserError } from '../errors.js'

export interface Sample {
  readonly name: string
  readonly labels: ReadonlyMap<string, string>
  readonly value: number
  /** undefined: it is of the moment of the scrape. */
  readonly timeNs: bigint | undefined
  /** The metric that it belongs to, without the suffix of a bucket, a sum or a count, and its type. */
  readonly metric: string
  readonly type: MetricType
}

export type MetricType = 'counter' | 'gauge' | 'histogram' | 'summary' | 'untyped'

/** How numbers in labels are written: `0.50` as `0.5`. */
export type NumberText = (value: number) => string

const nsPerMs = 1_000_000n
const types = new Set<string>(['counter', 'gauge', 'histogram', 'summary', 'untyped'])
const sampleStart = /^([a-zA-Z_:][\w:]*)[ \t]*/
const labelStart = /[ \t]*([a-zA-Z_]\w*)[ \t]*=[ \t]*"/y
const labelEnd = /[ \t]*(,[ \t]*(?:\})?|\})/y
const numberPattern = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
const infinityPattern = /^([+-]?)inf(?:inity)?$/i
const bucketSuffix = '_bucket'

/** Values that are no numbers are left out. Throws UserError with the line that is none of the format. */
export function* readSamples(
  text: string,
  numberText: NumberText = String,
): Generator<Sample, void, void> {
  const typeOf = new Map<string, MetricType>()
  let lineNumber = 0
  for (const line of lines(text)) {
    lineNumber++
    const content = line.trim()
    if (content === '') continue
    if (content.startsWith('#')) {
      readType(content, lineNumber, typeOf)
      continue
    }
    const sample = readSample(content, lineNumber)
    if (!Number.isNaN(sample.value)) yield underOwnName(sample, typeOf, numberText)
  }
}

/** One after the other: the text may be long. */
function* lines(text: string): Generator<string, void, void> {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start)
    yield text.slice(start, end < 0 ? text.length : end)
    start = end < 0 ? text.length : end + 1
  }
}

function readType(comment: string, lineNumber: number, typeOf: Map<string, MetricType>): void {
  const [, keyword, name, type] = comment.split(/[ \t]+/)
  if (keyword !== 'TYPE') return
  if (name === undefined || type === undefined || !types.has(type.toLowerCase())) {
    throw malformed(lineNumber, `unknown metric type "${type ?? ''}"`)
  }
  typeOf.set(name, type.toLowerCase() as MetricType)
}

type PlainSample = Omit<Sample, 'metric' | 'type'>

function readSample(line: string, lineNumber: number): PlainSample {
  const start = sampleStart.exec(line)
  if (start === null) throw malformed(lineNumber, 'invalid metric name')
  const [all, name] = start
  const labels = new Map<string, string>()
  const hasLabels = line[all.length] === '{'
  const rest = hasLabels ? readLabels(line, all.length + 1, labels, lineNumber) : all.length
  const [valueText, timeText, ...more] = line
    .slice(rest)
    .trim()
    .split(/[ \t]+/)
  const value = parseNumber(valueText)
  if (value === undefined) {
    throw malformed(lineNumber, `expected float as value, got "${valueText}"`)
  }
  if (more.length > 0) throw malformed(lineNumber, `spurious string after timestamp: "${more[0]}"`)
  if (timeText !== undefined && !/^-?\d{1,18}$/.test(timeText)) {
    throw malformed(lineNumber, `expected integer as timestamp, got "${timeText}"`)
  }
  const timeMs = BigInt(timeText ?? 0)
  const timeNs = timeMs > 0n ? BigInt.asIntN(64, timeMs * nsPerMs) : undefined
  return { name, labels, value, timeNs }
}

/** Where the labels end. */
function readLabels(
  line: string,
  from: number,
  labels: Map<string, string>,
  lineNumber: number,
): number {
  let at = from
  const empty = /[ \t]*\}/y
  empty.lastIndex = at
  if (empty.test(line)) return empty.lastIndex
  for (;;) {
    labelStart.lastIndex = at
    const start = labelStart.exec(line)
    if (start === null) throw malformed(lineNumber, `invalid label in ${JSON.stringify(line)}`)
    const [value, end] = readQuoted(line, labelStart.lastIndex, lineNumber)
    if (labels.has(start[1])) {
      throw malformed(lineNumber, `duplicate label name "${start[1]}"`)
    }
    labels.set(start[1], value)
    labelEnd.lastIndex = end
    const closing = labelEnd.exec(line)
    if (closing === null) throw malformed(lineNumber, 'unexpected end of label value')
    at = labelEnd.lastIndex
    if (closing[1].endsWith('}')) return at
  }
}

/** The text up to the quote that ends it, and the place behind that. */
function readQuoted(line: string, from: number, lineNumber: number): [string, number] {
  let text = ''
  for (let at = from; at < line.length; at++) {
    if (line[at] === '"') return [text, at + 1]
    if (line[at] !== '\\') text += line[at]
    else {
      at++
      if (line[at] === 'n') text += '\n'
      else if (line[at] === '"' || line[at] === '\\') text += line[at]
      else throw malformed(lineNumber, `invalid escape sequence '\\${line[at] ?? ''}'`)
    }
  }
  throw malformed(lineNumber, 'label value contains an unescaped new-line')
}

function parseNumber(text: string): number | undefined {
  if (numberPattern.test(text)) return Number(text)
  const infinity = infinityPattern.exec(text)
  if (infinity !== null) {
    return infinity[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  }
  return /^nan$/i.test(text) ? Number.NaN : undefined
}

function underOwnName(
  plain: PlainSample,
  typeOf: ReadonlyMap<string, MetricType>,
  numberText: NumberText,
): Sample {
  const { name, labels } = plain
  const own = typeOf.get(name)
  const base = /^(.+)_(?:bucket|sum|count)$/.exec(name)?.[1] ?? name
  const ofBase = own === undefined ? typeOf.get(base) : undefined
  const isPart = ofBase === 'histogram' || ofBase === 'summary'
  const sample = {
    ...plain,
    metric: isPart ? base : name,
    type: own ?? (isPart ? ofBase : 'untyped'),
  }
  if (own === 'summary') return withPlainLabel(sample, name, 'quantile', numberText)
  if (!name.endsWith(bucketSuffix) || !labels.has('le')) return sample
  return ofBase === 'histogram' ? withPlainLabel(sample, base, 'le', numberText) : sample
}

/** The number in the label is written one way, however it came. */
function withPlainLabel(
  sample: Sample,
  name: string,
  label: string,
  numberText: NumberText,
): Sample {
  const number = parseNumber(sample.labels.get(label) ?? '')
  if (number === undefined) return { ...sample, name }
  const labels = new Map(sample.labels).set(label, numberText(number))
  return { ...sample, name, labels }
}

function malformed(lineNumber: number, what: string): UserError {
  const place = `text format parsing error in line ${lineNumber}`
  return new UserError('invalid', `reading text format failed: ${place}: ${what}`)
}

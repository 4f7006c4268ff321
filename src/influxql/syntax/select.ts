// SELECT and the clauses that other statements share with it: sources, WHERE, GROUP BY, ORDER BY.
// Checked here is what InfluxDB checks while it parses; everything that needs the meaning of the
// statement is left to planning.

import type {
  BinaryOperator,
  Dimension,
  Expression,
  Field,
  Fill,
  MeasurementSource,
  Position,
  RegexLiteral,
  Select,
  SortField,
  Source,
} from './ast.js'
import { parseExpressionTokens, parseOptionalRegex } from './expressions.js'
import { printExpression } from './printer.js'
import { precedenceOf } from './token.js'
import type { TokenReader } from './token-reader.js'
import { walkExpression } from './walk.js'
import { findZone } from './zone-name.js'

/** SELECT has been read. */
export function parseSelect(reader: TokenReader, at: Position, isTargetRequired = false): Select {
  const fields = parseFields(reader)
  const target = parseTarget(reader, isTargetRequired)
  reader.expect('FROM')
  const sources = parseSources(reader, true)
  const condition = parseCondition(reader)
  const dimensions = parseDimensions(reader)
  const fill = parseFill(reader)
  const sort = parseOrder(reader)
  const limit = reader.optionalCount('LIMIT')
  const offset = reader.optionalCount('OFFSET')
  const slimit = reader.optionalCount('SLIMIT')
  const soffset = reader.optionalCount('SOFFSET')
  const zone = parseZone(reader)
  return {
    kind: 'select',
    fields,
    target,
    sources,
    condition,
    dimensions,
    fill,
    sort,
    limit,
    offset,
    slimit,
    soffset,
    zone,
    at,
  }
}

function parseFields(reader: TokenReader): Field[] {
  const fields: Field[] = []
  for (;;) {
    fields.push(parseField(reader))
    if (reader.scan().kind !== ',') {
      reader.unread()
      return fields
    }
  }
}

function parseField(reader: TokenReader): Field {
  const expression = parseOptionalRegex(reader) ?? parseFieldExpression(reader)
  const alias = reader.accept('AS') ? reader.name() : ''
  reader.skipBlanks()
  return { expression, alias: alias === '' ? undefined : alias }
}

function parseFieldExpression(reader: TokenReader): Expression {
  const first = reader.read()
  reader.unread()
  const expression = parseExpressionTokens(reader)
  const misplaced = lastComparison(expression)
  if (misplaced === undefined) return expression
  const { line, char } = reader.positionOf(first)
  throw reader.fail(
    `invalid operator ${misplaced} in SELECT clause at line ${line + 1}, char ${char + 1}; ` +
      'operator is intended for WHERE clause',
  )
}

/** InfluxDB names the last of the outermost ones. */
function lastComparison(expression: Expression): BinaryOperator | undefined {
  let last: BinaryOperator | undefined
  walkExpression(expression, (e) => {
    if (e.kind !== 'binary' || precedenceOf(e.op) > 3) return true
    last = e.op
    return false
  })
  return last
}

function parseTarget(reader: TokenReader, isRequired: boolean): MeasurementSource | undefined {
  const token = reader.read()
  if (token.kind !== 'INTO') {
    if (isRequired) throw reader.unexpected(token, 'INTO')
    reader.unread()
    return undefined
  }
  const segments = reader.segments()
  if (segments.length < 3 && reader.peekCharacter() === colon) {
    reader.expect(':', 'MEASUREMENT')
    segments.push('')
  }
  const name = segments.pop()
  const at = reader.positionOf(token)
  return measurement(segments, name === '' ? undefined : name, undefined, at, true)
}

export function parseSources(reader: TokenReader, allowsSubqueries: boolean): Source[] {
  const sources: Source[] = []
  do sources.push(parseSource(reader, allowsSubqueries))
  while (reader.accept(','))
  return sources
}

/** `[FROM sources]` */
export function parseOptionalSources(reader: TokenReader): Source[] {
  return reader.accept('FROM') ? parseSources(reader, false) : []
}

export function parseMeasurement(reader: TokenReader): MeasurementSource {
  const regex = parseOptionalRegex(reader)
  return regex === undefined ? parseNamedSource(reader) : regexSource(regex)
}

function parseSource(reader: TokenReader, allowsSubqueries: boolean): Source {
  const regex = parseOptionalRegex(reader)
  if (regex !== undefined) return regexSource(regex)
  if (allowsSubqueries) {
    const token = reader.read()
    if (token.kind === '(') {
      const at = reader.positionOf(token)
      reader.expect('SELECT')
      const select = reader.nested(() => parseSelect(reader, at))
      reader.expect(')')
      return { kind: 'subquery', select, at }
    }
    reader.unread()
  }
  return parseNamedSource(reader)
}

function regexSource(regex: RegexLiteral): MeasurementSource {
  return measurement([], undefined, regex, regex.at)
}

function parseNamedSource(reader: TokenReader): MeasurementSource {
  const token = reader.read()
  reader.unread()
  const at = reader.positionOf(token)
  const segments = reader.segments()
  const regex = segments.length === 3 ? undefined : parseOptionalRegex(reader)
  const name = regex === undefined ? segments.pop() : undefined
  return measurement(segments, name, regex, at)
}

/** Of the qualifiers the last is the policy. An empty one was not written. */
function measurement(
  qualifiers: readonly string[],
  name: string | undefined,
  regex: RegexLiteral | undefined,
  at: Position | undefined,
  isTarget?: true,
): MeasurementSource {
  const policy = qualifiers.at(-1) || undefined
  const database = qualifiers.at(-2) || undefined
  return { kind: 'measurement', database, policy, name, regex, isTarget, at }
}

/** `[WHERE expression]` */
export function parseCondition(reader: TokenReader): Expression | undefined {
  return reader.accept('WHERE') ? parseExpressionTokens(reader) : undefined
}

/** `[GROUP BY …]` */
export function parseDimensions(reader: TokenReader): Dimension[] {
  if (!reader.accept('GROUP')) return []
  reader.expect('BY')
  const dimensions: Dimension[] = []
  for (;;) {
    dimensions.push({ expression: parseDimension(reader) })
    if (reader.scan().kind !== ',') {
      reader.unread()
      return dimensions
    }
  }
}

function parseDimension(reader: TokenReader): Expression {
  const regex = parseOptionalRegex(reader)
  if (regex !== undefined) return regex
  reader.inDimension = true
  const expression = parseExpressionTokens(reader)
  reader.inDimension = false
  reader.skipBlanks()
  return expression
}

function parseFill(reader: TokenReader): Fill {
  if (!comesName(reader, 'fill')) return { kind: 'null' }
  const call = parseExpressionTokens(reader)
  if (call.kind !== 'call') throw reader.fail('fill must be a function call')
  if (call.args.length !== 1) {
    const example = 'e.g.: 0, null, none, previous, linear'
    throw reader.fail(`fill requires an argument, ${example}`)
  }
  const [option] = call.args
  const text = printExpression(option)
  switch (text) {
    case 'null':
    case 'none':
    case 'previous':
    case 'linear':
      return { kind: text }
  }
  if (option.kind !== 'integer' && option.kind !== 'number') {
    throw reader.fail('expected number argument in fill()')
  }
  return { kind: 'number', value: option.value }
}

function parseZone(reader: TokenReader): string | undefined {
  if (!comesName(reader, 'tz')) return undefined
  const call = parseExpressionTokens(reader)
  if (call.kind !== 'call') throw reader.fail('tz must be a function call')
  if (call.args.length !== 1) throw reader.fail('tz requires exactly one argument')
  const [name] = call.args
  if (name.kind !== 'string') throw reader.fail('expected string argument in tz()')
  const zone = findZone(name.value)
  if (zone === undefined) throw reader.fail(`unable to find time zone ${name.value}`)
  return zone
}

function comesName(reader: TokenReader, name: string): boolean {
  const { kind, text } = reader.read()
  reader.unread()
  return kind === 'IDENT' && text.toLowerCase() === name
}

/** `[ORDER BY …]` */
export function parseOrder(reader: TokenReader): SortField[] {
  if (!reader.accept('ORDER')) return []
  reader.expect('BY')
  const first = reader.read()
  const fields: SortField[] = []
  if (first.kind === 'ASC' || first.kind === 'DESC') {
    fields.push({ name: '', ascending: first.kind === 'ASC' })
  } else if (first.kind === 'IDENT') {
    reader.unread()
    fields.push(parseSortField(reader))
    if (first.text !== 'time') throw reader.fail(onlyTime)
  } else throw reader.unexpected(first, 'identifier', 'ASC', 'DESC')
  while (reader.accept(',')) fields.push(parseSortField(reader))
  if (fields.length > 1) throw reader.fail(onlyTime)
  return fields
}

function parseSortField(reader: TokenReader): SortField {
  const name = reader.name()
  if (reader.accept('DESC')) return { name, ascending: false }
  reader.accept('ASC')
  return { name, ascending: true }
}

const colon = 58
const onlyTime = 'only ORDER BY time supported at this time'

// What the functions of the v3 products are in DuckDB: another name, another call, or a macro of ours
// (`engine/macros.ts`).

import { planningError } from './failure.js'
import { intervalOf } from './intervals.js'
import {
  call,
  cast,
  operator,
  type TreeChanges,
  type TreeNode,
  text,
  textValue,
  whole,
  wholeNumber,
} from './tree.js'

export interface FunctionContext {
  /** What `now()` is. */
  readonly now: bigint
  /** The text that was parsed: `~` and SIMILAR TO are one function in the tree. */
  readonly text: Uint8Array
  readonly changes: TreeChanges
}

/** A new tree of what DuckDB knows, with other nodes where `changes` has them. */
export function translateFunctions(node: TreeNode, context: FunctionContext): TreeNode {
  return translate(node, context) as TreeNode
}

function translate(node: unknown, context: FunctionContext): unknown {
  if (node === null || typeof node !== 'object') return node
  if (Array.isArray(node)) return node.map((each) => translate(each, context))
  const given = context.changes.get(node as TreeNode) ?? (node as TreeNode)
  const copy: TreeNode = {}
  for (const [key, value] of Object.entries(given)) {
    const inside = translate(value, context)
    // A function that gives a table is called as it is.
    if (key === 'function' && given.type === 'TABLE_FUNCTION') {
      const own = value as TreeNode
      Object.assign(copy, { function: { ...own, children: translate(own.children, context) } })
    } else Object.assign(copy, { [key]: inside })
  }
  const made = translated(copy, context)
  if (made === copy) return copy
  return { ...made, alias: copy.alias ?? '' }
}

function translated(node: TreeNode, context: FunctionContext): TreeNode {
  switch (node.class) {
    case 'FUNCTION':
      return translateCall(node, context)
    case 'OPERATOR':
      return translateNot(node, context)
    case 'WINDOW':
      return /^(first|last)_value$/.test(node.function_name!) ? node : translateName(node)
    case 'COLUMN_REF':
      return translateKeyword(node, context)
    case 'CAST':
      return translateCast(node)
    case 'CONSTANT':
      return translateConstant(node)
  }
  return node
}

/** `!~` and NOT SIMILAR TO are the same in the tree, as `~` and SIMILAR TO are. */
function translateNot(node: TreeNode, { text }: FunctionContext): TreeNode {
  const [match] = node.children ?? []
  const isMatch = node.type === 'OPERATOR_NOT' && match?.function_name === 'regexp_full_match'
  if (!isMatch || text[node.query_location ?? 0] !== 0x21) return node
  return operator('OPERATOR_NOT', call('regexp_matches', ...match.children!))
}

/** Without a call these are columns to the parser; a table has none of these names unless it was quoted. */
function translateKeyword(node: TreeNode, { now }: FunctionContext): TreeNode {
  if (node.column_names?.length !== 1) return node
  switch (node.column_names[0]) {
    case 'current_timestamp':
      return moment(now)
    case 'current_date':
      return cast(moment(now), 'DATE')
    case 'current_time':
      return cast(moment(now), 'TIME')
  }
  return node
}

function moment(ns: bigint): TreeNode {
  return call('make_timestamp_ns', whole(ns))
}

/** Moments have nanoseconds; whole numbers are nanoseconds. */
function translateCast(node: TreeNode): TreeNode {
  const { child, cast_type } = node
  if (child === undefined || cast_type === undefined) return node
  if (cast_type.id === 'TIMESTAMP') {
    if (wholeNumber(child) !== undefined) return call('make_timestamp_ns', child)
    return { ...node, cast_type: { id: 'TIMESTAMP_NS', type_info: null } }
  }
  const isTime = child.class === 'COLUMN_REF' && child.column_names?.at(-1) === 'time'
  return cast_type.id === 'BIGINT' && isTime ? call('epoch_ns', child) : node
}

/** Numbers with a point are floats. */
function translateConstant(node: TreeNode): TreeNode {
  const { value } = node
  if (value?.type.id !== 'DECIMAL' || value.is_null) return node
  return cast(node, 'DOUBLE')
}

const renamed: Readonly<Record<string, string>> = {
  mean: 'avg',
  var: 'var_samp',
  var_population: 'var_pop',
  var_sample: 'var_samp',
  covar: 'covar_samp',
  approx_distinct: 'approx_count_distinct',
  char_length: 'length',
  character_length: 'length',
  btrim: 'trim',
  signum: 'sign',
  '^': 'xor',
  date_format: 'strftime',
  to_char: 'strftime',
  make_array: 'list_value',
  array_length: 'len',
  cardinality: 'len',
  nvl: 'mr_nvl',
  ifnull: 'mr_nvl',
  nvl2: 'mr_nvl2',
  nanvl: 'mr_nanvl',
  iszero: 'mr_iszero',
  initcap: 'mr_initcap',
  overlay: 'mr_overlay',
  repeat: 'mr_repeat',
  regexp_like: 'regexp_matches',
  regexp_count: 'mr_regexp_count',
  '~*': 'mr_regexp_imatches',
  arrow_typeof: 'mr_arrow_typeof',
  to_timestamp_seconds: 'mr_to_timestamp',
  to_timestamp_millis: 'mr_to_timestamp_millis',
  to_timestamp_micros: 'mr_to_timestamp_micros',
  to_timestamp_nanos: 'mr_to_timestamp_nanos',
  to_unixtime: 'mr_to_unixtime',
  from_unixtime: 'mr_to_timestamp',
  timezone: 'mr_zoned',
  selector_first: 'mr_selector_first',
  selector_last: 'mr_selector_last',
  selector_min: 'mr_selector_min',
  selector_max: 'mr_selector_max',
  // Divides whole numbers without a rest, and others as usual. By zero it gives no value: macros that know the types of
  // both sides cannot take aggregates, and others repeat their arguments, which chains of divisions would multiply.
  '/': '//',
  // As aggregates; as functions of a window they keep their names.
  first_value: 'first',
  last_value: 'last',
}

type Translation = (children: TreeNode[], context: FunctionContext, node: TreeNode) => TreeNode

const translations: Readonly<Record<string, Translation>> = {
  now: (_, { now }) => moment(now),
  today: (_, { now }) => cast(moment(now), 'DATE'),
  current_timestamp: (_, { now }) => moment(now),
  current_date: (_, { now }) => cast(moment(now), 'DATE'),
  version: () => text('Millrace SQL'),
  // Query builders look for the tables of `table_schema = database()`.
  database: () => text('iox'),
  date_bin: (children) => bin(children),
  date_bin_wallclock: (children) => wallclockBin(children),
  date_part: ([part, time]) => datePart(part, time),
  datepart: ([part, time]) => datePart(part, time),
  to_timestamp: ([value, ...formats]) =>
    formats.length === 0
      ? call('mr_to_timestamp', value)
      : cast(call('strptime', value, call('list_value', ...formats)), 'TIMESTAMP_NS'),
  to_date: ([value]) => cast(value, 'DATE'),
  to_local_time: ([value]) => value,
  tz: ([time, zone = text('UTC')]) => call('mr_tz', time, zone),
  approx_median: ([value]) => call('approx_quantile', value, cast(text('0.5'), 'FLOAT')),
  approx_percentile_cont: ([value, part]) => call('approx_quantile', value, cast(part, 'FLOAT')),
  lpad: ([value, length, fill = text(' ')]) => call('mr_lpad', value, length, fill),
  rpad: ([value, length, fill = text(' ')]) => call('mr_rpad', value, length, fill),
  range: (children) => call('mr_range', ...series(children)),
  generate_series: (children) => call('mr_series', ...series(children)),
  regexp_match: ([value, pattern]) => regexpMatch(value, pattern),
  regexp_replace: ([value, pattern, replacement, ...flags]) =>
    call('regexp_replace', value, pattern, goTemplate(replacement), ...flags),
  regexp_full_match: (children, { text }, node) =>
    text[node.query_location ?? 0] === 0x7e ? call('regexp_matches', ...children) : node,
  '!~*': (children) => operator('OPERATOR_NOT', call('mr_regexp_imatches', ...children)),
  encode: ([value, format]) => encode(value, format),
  arrow_cast: ([value, type]) => arrowCast(value, type),
}

function translateCall(node: TreeNode, context: FunctionContext): TreeNode {
  const name = node.function_name!
  const translation = translations[name]
  if (translation !== undefined && Object.hasOwn(translations, name)) {
    return translation(node.children ?? [], context, node)
  }
  return translateName(node)
}

function translateName(node: TreeNode): TreeNode {
  const name = node.function_name!
  if (!Object.hasOwn(renamed, name)) return node
  const other = renamed[name]
  // Of our own names only this one is written between its operands.
  return { ...node, function_name: other, schema: '', is_operator: other === '//' }
}

function bin([interval, time, origin]: TreeNode[]): TreeNode {
  if (time === undefined) throw planningError('date_bin takes an interval and a time')
  const width = intervalOf(interval)
  if (width === undefined) throw planningError('date_bin: the first argument must be an interval')
  if (width.months !== 0n && width.ns !== 0n) {
    throw planningError('DATE_BIN stride does not support combination of month, day and nanosecond')
  }
  if (width.months <= 0n && width.ns <= 0n) {
    throw planningError('DATE_BIN stride must be non-zero and positive')
  }
  const from = origin === undefined ? undefined : cast(origin, 'TIMESTAMP_NS')
  if (width.months > 0n) {
    return call('mr_bin_months', time, whole(width.months), from ?? text('1970-01-01'))
  }
  const start = from === undefined ? whole(0n) : call('epoch_ns', from)
  return call('mr_bin', time, whole(width.ns), start)
}

/** In the zone that `tz` gave the time; without one, in UTC. */
function wallclockBin([interval, time, origin]: TreeNode[]): TreeNode {
  const rest = origin === undefined ? [] : [origin]
  if (time?.function_name !== 'mr_tz') return bin([interval, time, ...rest])
  const [inner, zone] = time.children!
  return call('mr_unwall', bin([interval, call('mr_wall', inner, zone), ...rest]), zone)
}

function datePart(part: TreeNode, time: TreeNode): TreeNode {
  const name = textValue(part)?.toLowerCase()
  if (name === undefined) throw planningError('date_part: the first argument must be a text')
  if (name.startsWith('nanosecond')) return call('nanosecond', cast(time, 'TIMESTAMP_NS'))
  return call('date_part', text(name), time)
}

function series(children: TreeNode[]): TreeNode[] {
  const [a, b, c] = children
  return b === undefined ? [whole(0n), a, whole(1n)] : [a, b, c ?? whole(1n)]
}

/** The groups of the pattern, or the whole match where it has none. */
function regexpMatch(value: TreeNode, pattern: TreeNode): TreeNode {
  const source = textValue(pattern)
  if (source === undefined) throw planningError('regexp_match: the pattern must be a text')
  const groups = source.replace(/\\./g, '').match(/\((?!\?)|\(\?P?</g)?.length ?? 0
  const numbers = groups === 0 ? [0] : Array.from({ length: groups }, (_, i) => i + 1)
  const found = numbers.map((n) => call('regexp_extract', value, pattern, whole(BigInt(n))))
  const list = call('list_value', ...found)
  return {
    class: 'CASE',
    type: 'CASE_EXPR',
    alias: '',
    ...{
      case_checks: [{ when_expr: call('regexp_matches', value, pattern), then_expr: list }],
      else_expr: { ...text(''), value: { type: { id: 'NULL' }, is_null: true } },
    },
  }
}

/** `$1` and `${1}` stand for groups; DuckDB writes `\1`. */
function goTemplate(replacement: TreeNode): TreeNode {
  const source = textValue(replacement)
  return source === undefined
    ? replacement
    : text(source.replace(/\$(?:\{(\d)\}|(\d))/g, (_, a, b) => `\\${a ?? b}`))
}

function encode(value: TreeNode, format: TreeNode): TreeNode {
  switch (textValue(format)) {
    case 'hex':
      return call('mr_hex', value)
    case 'base64':
      return call('to_base64', cast(value, 'BLOB'))
  }
  throw planningError('encode: the format must be hex or base64')
}

const arrowTypes: Readonly<Record<string, string>> = {
  Int64: 'BIGINT',
  Int32: 'INTEGER',
  UInt64: 'UBIGINT',
  UInt32: 'UINTEGER',
  Float64: 'DOUBLE',
  Float32: 'FLOAT',
  Utf8: 'VARCHAR',
  Boolean: 'BOOLEAN',
}

function arrowCast(value: TreeNode, type: TreeNode): TreeNode {
  const name = textValue(type) ?? ''
  if (name.startsWith('Timestamp(')) return call('mr_to_timestamp_nanos', value)
  if (!Object.hasOwn(arrowTypes, name)) throw planningError(`Unsupported type '${name}'.`)
  return cast(value, arrowTypes[name])
}

// The names of InfluxDB's own types, in Go, for the kinds of expressions: its messages name them where it
// refuses an expression.

import type { Expression } from './ast.js'

export const goTypes: Readonly<Record<Expression['kind'], string>> = {
  reference: '*influxql.VarRef',
  call: '*influxql.Call',
  binary: '*influxql.BinaryExpr',
  paren: '*influxql.ParenExpr',
  wildcard: '*influxql.Wildcard',
  distinct: '*influxql.Distinct',
  integer: '*influxql.IntegerLiteral',
  unsigned: '*influxql.UnsignedLiteral',
  number: '*influxql.NumberLiteral',
  string: '*influxql.StringLiteral',
  boolean: '*influxql.BooleanLiteral',
  duration: '*influxql.DurationLiteral',
  time: '*influxql.TimeLiteral',
  regex: '*influxql.RegexLiteral',
  nil: '*influxql.NilLiteral',
  list: '*influxql.ListLiteral',
}

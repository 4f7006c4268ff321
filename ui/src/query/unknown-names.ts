// Measurements, fields and tags that a text names and the bucket does not have, with the name that was probably meant.
// These are doubts and no mistakes: points with such a name may come later. Of InfluxQL every name of a SELECT from
// measurements is looked at, of Flux what `_measurement` and `_field` are compared with; SQL is checked by the service.

import type { Expression, Select } from '../../../src/influxql/syntax/ast.js'
import { parseQuery } from '../../../src/influxql/syntax/parser.js'
import { walkExpression } from '../../../src/influxql/syntax/walk.js'
import type { Finding } from './findings.js'
import { nearestName } from './nearest-name.js'

export interface KnownNames {
  measurements(): Promise<readonly string[]>
  /** Fields and tags; undefined: there is no such measurement. */
  within(measurement: string): Promise<readonly string[] | undefined>
}

interface Named {
  readonly name: string
  readonly line: number
  readonly column: number
}

/** The text has been parsed before without a mistake. */
export async function unknownInfluxql(text: string, known: KnownNames): Promise<Finding[]> {
  const found: Finding[] = []
  for (const statement of parseQuery(text)) {
    if (statement.kind === 'select') found.push(...(await unknownInSelect(statement, known)))
  }
  return found
}

async function unknownInSelect(select: Select, known: KnownNames): Promise<Finding[]> {
  const measurements: Named[] = []
  for (const source of select.sources) {
    // What comes of a subquery, of another database or of a pattern is not known here.
    if (source.kind === 'subquery') return []
    const { name, database, policy, at } = source
    if (name === undefined || database !== undefined || policy !== undefined) return []
    measurements.push({ name, line: (at?.line ?? -1) + 1, column: (at?.char ?? 0) + 1 })
  }
  return unknownIn(measurements, namesOf(select), known)
}

async function unknownIn(
  measurements: readonly Named[],
  names: readonly Named[],
  known: KnownNames,
): Promise<Finding[]> {
  const within: string[] = []
  const found: Finding[] = []
  for (const measurement of measurements) {
    const these = await known.within(measurement.name)
    if (these === undefined) {
      found.push(doubt(measurement, 'no such measurement yet', await known.measurements()))
    } else within.push(...these)
  }
  if (found.length > 0) return found
  const list = measurements.map(({ name }) => name).join(', ')
  return names
    .filter(({ name }) => !within.includes(name))
    .map((name) => doubt(name, `no field or tag of this name in ${list}`, within))
}

function doubt({ name, line, column }: Named, what: string, names: readonly string[]): Finding {
  const nearest = nearestName(name, names)
  const message = nearest === undefined ? what : `${what}: did you mean ${nearest}?`
  return { line, column, message, isDoubt: true }
}

function namesOf({ fields, condition, dimensions }: Select): Named[] {
  const names: Named[] = []
  const visit = (one: Expression) => {
    if (one.kind !== 'reference' || one.name === 'time' || one.at === undefined) return
    names.push({ name: one.name, line: one.at.line + 1, column: one.at.char + 1 })
  }
  for (const { expression } of [...fields, ...dimensions]) walkExpression(expression, visit)
  if (condition !== undefined) walkExpression(condition, visit)
  return names
}

const compared = (column: string) =>
  new RegExp(`r(?:\\.${column}|\\["${column}"\\])\\s*==\\s*"([^"\\\\$]*)"`, 'g')

/** Of a text that reads once from one bucket, and names one measurement. */
export async function unknownFlux(text: string, known: KnownNames): Promise<Finding[]> {
  if ((text.match(/\bfrom\s*\(/g) ?? []).length !== 1) return []
  const measurements = comparedWith(text, '_measurement')
  if (measurements.length !== 1) return []
  return unknownIn(measurements, comparedWith(text, '_field'), known)
}

function comparedWith(text: string, column: string): Named[] {
  return Array.from(text.matchAll(compared(column)), (found) => {
    const name = found[1]
    const before = text.slice(0, found.index + found[0].length - name.length - 2).split('\n')
    return { name, line: before.length, column: (before.at(-1) ?? '').length + 1 }
  })
}

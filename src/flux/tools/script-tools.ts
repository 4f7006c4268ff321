// What the catalog has to know of Flux scripts, on top of the parser and the printer alone: the rest of the language
// is not loaded for it.

import type {
  OtherValue,
  ScriptBuckets,
  ScriptProperty,
  ScriptRecord,
  ScriptTools,
} from '../../catalog/base/script-tools.js'
import type { Expression, Property, Statement, VariableAssignment } from '../syntax/ast.js'
import { parseFlux } from '../syntax/parser.js'
import { printFile } from '../syntax/printer.js'
import { SourceText } from '../syntax/source-text.js'
import { errorText, syntaxErrors } from '../syntax/syntax-errors.js'
import { wordKind } from '../syntax/token.js'
import { taskQuery } from './task-query.js'
import { nodesOf } from './tree.js'

export const scriptTools: ScriptTools = {
  assigned,
  problem,
  zone,
  buckets,
  taskQuery,
  parameters,
  format,
  quoted,
  key,
}

function assigned(script: string, name: string, isOption: boolean): (ScriptRecord | OtherValue)[] {
  const source = new SourceText(script, '')
  return parseFlux(script).body.flatMap((statement) => {
    const assignment = assignmentOf(statement, isOption)
    if (assignment?.id.name !== name) return []
    return recordOf(source, statement, assignment.init)
  })
}

function problem(script: string): string | undefined {
  const [first] = syntaxErrors(parseFlux(script))
  return first && errorText(first)
}

function zone(script: string): string | undefined {
  for (const statement of parseFlux(script).body) {
    const assignment = assignmentOf(statement, true)
    if (assignment?.id.name !== 'location' || assignment.init.type !== 'CallExpression') continue
    const argument = assignment.init.arguments?.[0]
    if (argument?.type !== 'ObjectExpression') continue
    const name = argument.properties.find(
      ({ key: named }) => (named.type === 'Identifier' ? named.name : named.value) === 'name',
    )
    if (name?.value?.type === 'StringLiteral') return name.value.value
  }
  return undefined
}

function assignmentOf(statement: Statement, isOption: boolean): VariableAssignment | undefined {
  const inner = isOption && statement.type === 'OptionStatement' ? statement.assignment : statement
  const isWanted = isOption === (statement.type === 'OptionStatement')
  return isWanted && inner.type === 'VariableAssignment' ? inner : undefined
}

function recordOf(
  source: SourceText,
  statement: Statement,
  value: Expression,
): ScriptRecord | OtherValue {
  const text = value.location.source ?? ''
  if (value.type !== 'ObjectExpression') return { found: /^(?:\w+|.)/su.exec(text)?.[0] ?? '' }
  const isClosed = (value.errors ?? []).length === 0 && text.endsWith('}')
  return {
    start: source.offsetOf(statement.location.start),
    open: source.offsetOf(value.location.start) + 1,
    close: isClosed ? source.offsetOf(value.location.end) - 1 : undefined,
    properties: value.properties.map((property) => propertyOf(source, property)),
  }
}

function propertyOf(source: SourceText, { key, value, location }: Property): ScriptProperty {
  return {
    key: key.type === 'Identifier' ? key.name : key.value,
    start: source.offsetOf(location.start),
    valueStart: value === null ? undefined : source.offsetOf(value.location.start),
    end: source.offsetOf((value ?? key).location.end),
    text: value?.type === 'StringLiteral' ? value.value : undefined,
  }
}

/** Read as `params.name` or `params["name"]`. */
function parameters(script: string): string[] {
  const names = new Set<string>()
  for (const node of nodesOf(parseFlux(script))) {
    if (node.type !== 'MemberExpression' || node.object.type !== 'Identifier') continue
    if (node.object.name !== 'params') continue
    names.add(node.property.type === 'Identifier' ? node.property.name : node.property.value)
  }
  return [...names]
}

const writers = new Set(['to', 'wideTo'])

/** Functions that take a bucket, under whatever name they are imported; those that write are few. */
function buckets(script: string): ScriptBuckets | undefined {
  const reads = new Set<string>()
  const writes = new Set<string>()
  for (const node of nodesOf(parseFlux(script))) {
    if (node.type !== 'CallExpression') continue
    const argument = node.arguments?.[0]
    if (argument?.type !== 'ObjectExpression') continue
    for (const { key: named, value } of argument.properties) {
      const name = named.type === 'Identifier' ? named.name : named.value
      if (name !== 'bucket' && name !== 'bucketID') continue
      if (name === 'bucketID' || value?.type !== 'StringLiteral') return undefined
      const called = calledName(node.callee)
      if (called !== undefined && writers.has(called)) writes.add(value.value)
      else reads.add(value.value)
    }
  }
  return { reads: [...reads], writes: [...writes] }
}

function calledName(callee: Expression): string | undefined {
  if (callee.type === 'Identifier') return callee.name
  if (callee.type !== 'MemberExpression') return undefined
  return callee.property.type === 'Identifier' ? callee.property.name : callee.property.value
}

/** As InfluxDB lays out the scripts that it makes. */
const columnsMax = 120

function format(script: string): string {
  return printFile(parseFlux(script), columnsMax)
}

const escapes: Readonly<Record<string, string | undefined>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

function quoted(text: string, kind: 'text' | 'template' = 'text'): string {
  const escaped = text.replace(/[\\"\n\r\t]/g, (sign) => escapes[sign] ?? `\\${sign}`)
  return `"${kind === 'template' ? escaped : escaped.replace(/\$\{/g, '\\${')}"`
}

/** Not words of the language everywhere, but words that a record's key should not be. */
const doubtful = new Set(['empty', 'in', 'with'])

function key(name: string): string {
  const isName = /^[A-Za-z_]\w*$/.test(name) && wordKind(name) === 'IDENT' && !doubtful.has(name)
  return isName ? name : quoted(name)
}

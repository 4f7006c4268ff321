// Where a script writes to, as far as its text says so: buckets that `to` is called with in Flux, the database and
// measurement of INTO in InfluxQL. A name that is only computed when the script runs is not told. Text that cannot be
// read writes nowhere.

import type { CallExpression, Expression, Statement } from '../../../src/flux/syntax/ast.js'
import { parseFlux } from '../../../src/flux/syntax/parser.js'
import { parseQuery } from '../../../src/influxql/syntax/parser.js'

export interface WriteTarget {
  /** Undefined: the one that is read. */
  readonly bucket?: string | undefined
  readonly bucketId?: string | undefined
  readonly measurement?: string | undefined
}

/** Each once, in the order of the text. */
export function fluxTargets(text: string): WriteTarget[] {
  const { body } = parseFlux(text)
  const texts = namedTexts(body)
  const found: WriteTarget[] = []
  walk(body, (call) => {
    const target = targetOf(call, texts)
    if (target !== undefined) found.push(target)
  })
  return distinct(found)
}

export function influxqlTargets(text: string): WriteTarget[] {
  try {
    const targets = parseQuery(text).flatMap((statement) =>
      statement.kind === 'select' && statement.target !== undefined ? [statement.target] : [],
    )
    return distinct(
      targets.map(({ database, policy, name }) => ({
        bucket: database === undefined || policy === undefined ? database : `${database}/${policy}`,
        measurement: name,
      })),
    )
  } catch {
    return []
  }
}

const writing = ['to', 'wideTo']

function targetOf(
  { callee, arguments: given = [] }: CallExpression,
  texts: ReadonlyMap<string, string>,
): WriteTarget | undefined {
  const [options] = given
  if (!writing.includes(calledName(callee) ?? '') || options?.type !== 'ObjectExpression') return
  const argument = (name: string) => {
    const found = options.properties.find(({ key }) => keyName(key) === name)
    return found && textOf(found.value ?? found.key, texts)
  }
  // On another server the name says nothing about this one.
  if (options.properties.some(({ key }) => keyName(key) === 'host')) return
  const [bucket, bucketId] = [argument('bucket'), argument('bucketID')]
  return bucket === undefined && bucketId === undefined ? undefined : { bucket, bucketId }
}

function calledName(callee: Expression): string | undefined {
  if (callee.type === 'Identifier') return callee.name
  return callee.type === 'MemberExpression' ? keyName(callee.property) : undefined
}

function keyName(
  key: { readonly type: string } & ({ readonly name: string } | { readonly value: string }),
) {
  return 'name' in key ? key.name : key.value
}

function textOf(value: Expression, texts: ReadonlyMap<string, string>): string | undefined {
  if (value.type === 'StringLiteral') return value.value
  return value.type === 'Identifier' ? texts.get(value.name) : undefined
}

/** `target = "b"` above the calls. */
function namedTexts(body: readonly Statement[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const statement of body) {
    if (statement.type !== 'VariableAssignment' || statement.init.type !== 'StringLiteral') continue
    texts.set(statement.id.name, statement.init.value)
  }
  return texts
}

/** Calls that a tree has anywhere, with what they are called on first. */
function walk(node: unknown, visit: (call: CallExpression) => void): void {
  if (typeof node !== 'object' || node === null) return
  for (const child of Object.values(node)) walk(child, visit)
  if ((node as { type?: unknown }).type === 'CallExpression') visit(node as CallExpression)
}

function distinct(targets: readonly WriteTarget[]): WriteTarget[] {
  return [...new Map(targets.map((target) => [JSON.stringify(target), target])).values()]
}

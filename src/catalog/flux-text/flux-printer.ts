// Prints the Flux that is generated for checks and notification rules, laid out as the language's
// own formatter does it: on one line what fits into 120 columns, otherwise indented by four.
// Small pieces (names, literals, comparisons) come as finished texts; only what may have to be
// broken into lines is a node.

import { fluxString } from './flux-tokens.js'

export type FluxExpression =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly callee: string; readonly args: readonly FluxProperty[] }
  | {
      readonly kind: 'record'
      readonly properties: readonly FluxProperty[]
      /** `{r with ...}` */
      readonly base?: string
    }
  | { readonly kind: 'pipe'; readonly steps: readonly FluxExpression[] }
  | { readonly kind: 'function'; readonly body: FluxExpression }
  | { readonly kind: 'block'; readonly statements: readonly FluxStatement[] }
  | { readonly kind: 'choice'; readonly branches: readonly Branch[]; readonly otherwise: string }

export interface Branch {
  readonly test: string
  readonly value: string
}

export interface FluxProperty {
  readonly key: string
  /** Also where the key could do without. */
  readonly isQuoted?: boolean
  readonly value: FluxExpression
}

export type FluxStatement =
  | { readonly kind: 'option'; readonly name: string; readonly value: FluxExpression }
  | { readonly kind: 'assignment'; readonly name: string; readonly value: FluxExpression }
  | { readonly kind: 'expression'; readonly value: FluxExpression }
  | { readonly kind: 'return'; readonly value: FluxExpression }
  /** As somebody else wrote it. */
  | { readonly kind: 'verbatim'; readonly text: string }

const columnsMax = 120
const step = 4

/** Records and calls with more than these are never on one line. */
const propertiesOnLineMax = 4

export function text(source: string): FluxExpression {
  return { kind: 'text', text: source }
}

export function call(
  callee: string,
  args: Readonly<Record<string, FluxExpression | string>> = {},
): FluxExpression {
  return { kind: 'call', callee, args: propertiesOf(args) }
}

export function record(
  fields: Readonly<Record<string, FluxExpression | string>>,
  base?: string,
): FluxExpression {
  const properties = propertiesOf(fields)
  return base === undefined ? { kind: 'record', properties } : { kind: 'record', properties, base }
}

export function pipe(...steps: readonly FluxExpression[]): FluxExpression {
  return { kind: 'pipe', steps }
}

/** Of one row, `r`. */
export function rowFunction(body: FluxExpression | string): FluxExpression {
  return { kind: 'function', body: typeof body === 'string' ? text(body) : body }
}

export function assignment(name: string, value: FluxExpression): FluxStatement {
  return { kind: 'assignment', name, value }
}

/** A string in which `${...}` stands for a value of the row, as templates of messages have it. */
export function fluxTemplate(template: string): string {
  return fluxString(template).replace(/\\\$\{/g, '${')
}

/** `r["usage user"]`: safe for every name. */
export function member(of: string, name: string): string {
  return `${of}[${fluxString(name)}]`
}

/** The script of a task: imports, then the statements, parted by an empty line where kinds change. */
export function printScript(
  imports: readonly string[],
  statements: readonly FluxStatement[],
): string {
  const lines = imports.map((one) => `${one}\n`).join('')
  let script = lines === '' ? '' : `${lines}\n`
  statements.forEach((statement, index) => {
    const isNewKind = index > 0 && statement.kind !== statements[index - 1].kind
    script += `${isNewKind ? '\n' : ''}${printStatement(statement, 0)}\n`
  })
  return script
}

function propertiesOf(
  fields: Readonly<Record<string, FluxExpression | string>>,
): readonly FluxProperty[] {
  return Object.entries(fields).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? text(value) : value,
  }))
}

function printStatement(statement: FluxStatement, indent: number): string {
  switch (statement.kind) {
    case 'verbatim':
      return statement.text
    case 'expression':
      return print(statement.value, indent, indent)
    case 'return':
      return printAfter('return ', statement.value, indent)
    case 'option':
      return printAfter(`option ${statement.name} = `, statement.value, indent)
    case 'assignment':
      return printAfter(`${statement.name} = `, statement.value, indent)
  }
}

/**
 * An expression behind `name = ` or `key: `. Too long for the line, a record opens there, and a
 * function says its parameter there; the others begin on a line of their own.
 */
function printAfter(prefix: string, value: FluxExpression, indent: number, suffix = ''): string {
  const flat = flatOf(value)
  if (flat !== undefined && fits(indent, `${prefix}${flat}${suffix}`)) return prefix + flat + suffix
  if (value.kind === 'record') return prefix + printRecord(value, indent) + suffix
  if (value.kind === 'function') return prefix + printFunction(value.body, indent) + suffix
  if (value.kind === 'text') return prefix + value.text + suffix
  const inner = indent + step
  const spent = inner + suffix.length
  return `${prefix.trimEnd()}\n${spaces(inner)}${print(value, inner, spent)}${suffix}`
}

/** `column`: how much of the line is taken already. */
function print(expression: FluxExpression, indent: number, column: number): string {
  const flat = flatOf(expression)
  if (flat !== undefined && column + flat.length <= columnsMax) return flat
  switch (expression.kind) {
    case 'text':
      return expression.text
    case 'call':
      return `${expression.callee}(${printProperties(expression.args, indent)})`
    case 'record':
      return printRecord(expression, indent)
    case 'function':
      return printFunction(expression.body, indent)
    case 'block':
      return printBlock(expression.statements, indent)
    case 'choice':
      return printChoice(expression.branches, expression.otherwise, indent)
    case 'pipe': {
      const inner = indent + step
      const [head, ...calls] = expression.steps
      const lines = calls.map((one) => `\n${spaces(inner)}|> ${print(one, inner, inner + 3)}`)
      return `${print(head, indent, column)}${lines.join('')}`
    }
  }
}

function printProperties(properties: readonly FluxProperty[], indent: number): string {
  const inner = indent + step
  const lines = properties.map(
    (one) => `${spaces(inner)}${printAfter(`${keyText(one)}: `, one.value, inner, ',')}\n`,
  )
  return lines.length === 0 ? '' : `\n${lines.join('')}${spaces(indent)}`
}

function printRecord(
  { properties, base }: FluxExpression & { readonly kind: 'record' },
  indent: number,
): string {
  return `{${base === undefined ? '' : `${base} with`}${printProperties(properties, indent)}}`
}

function printFunction(body: FluxExpression, indent: number): string {
  if (body.kind === 'block') return `(r) => ${printBlock(body.statements, indent)}`
  const inner = indent + step
  // In parentheses, because braces alone would be a block.
  const shown = body.kind === 'record' ? `(${printRecord(body, inner)})` : print(body, inner, inner)
  return `(r) =>\n${spaces(inner)}${shown}`
}

function printBlock(statements: readonly FluxStatement[], indent: number): string {
  const inner = indent + step
  const lines = statements.map((statement, index) => {
    const isNewKind = index > 0 && statement.kind !== statements[index - 1].kind
    return `${isNewKind ? '\n' : ''}${spaces(inner)}${printStatement(statement, inner)}\n`
  })
  return `{\n${lines.join('')}${spaces(indent)}}`
}

function printChoice(branches: readonly Branch[], otherwise: string, indent: number): string {
  const inner = spaces(indent + step)
  const outer = spaces(indent)
  const lines = branches.map(({ test, value }) => `if ${test} then\n${inner}${value}\n`)
  return `${lines.join(`${outer}else `)}${outer}else\n${inner}${otherwise}`
}

/** undefined: must not be on one line, however short it is. */
function flatOf(expression: FluxExpression): string | undefined {
  switch (expression.kind) {
    case 'text':
      return expression.text.includes('\n') ? undefined : expression.text
    case 'call': {
      const args = flatProperties(expression.args)
      return args === undefined ? undefined : `${expression.callee}(${args})`
    }
    case 'record': {
      const { properties, base } = expression
      const fields = flatProperties(properties)
      if (fields === undefined) return undefined
      return base === undefined ? `{${fields}}` : `{${base} with ${fields}}`
    }
    case 'function': {
      const body = flatOf(expression.body)
      if (body === undefined) return undefined
      return expression.body.kind === 'record' ? `(r) => (${body})` : `(r) => ${body}`
    }
    case 'pipe': {
      const steps = expression.steps.map(flatOf)
      return steps.includes(undefined) ? undefined : steps.join(' |> ')
    }
    case 'choice': {
      const tests = expression.branches.map(({ test, value }) => `if ${test} then ${value} else `)
      return `${tests.join('')}${expression.otherwise}`
    }
    case 'block':
      return undefined
  }
}

function flatProperties(properties: readonly FluxProperty[]): string | undefined {
  if (properties.length > propertiesOnLineMax) return undefined
  const parts: string[] = []
  for (const property of properties) {
    const flat = flatOf(property.value)
    if (flat === undefined) return undefined
    parts.push(`${keyText(property)}: ${flat}`)
  }
  return parts.join(', ')
}

/** Words of the language cannot be names. */
const keywords = new Set(
  'and import or package builtin exists return option testcase not empty in if then else with'.split(
    ' ',
  ),
)

function keyText({ key, isQuoted = false }: FluxProperty): string {
  const isName = /^[A-Za-z_]\w*$/.test(key) && !keywords.has(key)
  return isName && !isQuoted ? key : fluxString(key)
}

function fits(indent: number, line: string): boolean {
  return indent + line.length <= columnsMax
}

function spaces(count: number): string {
  return ' '.repeat(count)
}

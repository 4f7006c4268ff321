// A file of Flux given as its syntax tree in JSON (`extern`): checked node by node, so that whoever
// runs it meets only trees that the parser could have made. Places in a text are left out: there is
// none.

import { UserError } from '../../errors.js'
import { JsonNumber } from '../../query/json-text.js'
import type { File, SourceLocation } from './ast.js'

type Fields = ReadonlyMap<string, unknown>
type Reader = (value: unknown) => unknown
type Shape = Readonly<Record<string, Reader>>

const nowhere: SourceLocation = { start: { line: 0, column: 0 }, end: { line: 0, column: 0 } }

/** Deeper than anything that is written by hand; the walk over a tree must not exhaust the stack. */
const depthMax = 150

export function readExtern(value: unknown): File {
  return new ExternReader().file(value)
}

/** Types of nodes by the place where they may stand. */
const groups = {
  statement: ['VariableAssignment', 'ExpressionStatement', 'ReturnStatement', 'OptionStatement'],
  expression: [
    'Identifier',
    'StringExpression',
    'ParenExpression',
    'CallExpression',
    'PipeExpression',
    'MemberExpression',
    'IndexExpression',
    'FunctionExpression',
    'BinaryExpression',
    'UnaryExpression',
    'LogicalExpression',
    'ConditionalExpression',
    'ArrayExpression',
    'DictExpression',
    'ObjectExpression',
    'StringLiteral',
    'BooleanLiteral',
    'FloatLiteral',
    'IntegerLiteral',
    'UnsignedIntegerLiteral',
    'RegexpLiteral',
    'DurationLiteral',
    'DateTimeLiteral',
    'PipeLiteral',
  ],
  assignment: ['VariableAssignment', 'MemberAssignment'],
  name: ['Identifier', 'StringLiteral'],
  part: ['TextPart', 'InterpolatedPart'],
} as const

const binaryOperators = ['+', '-', '*', '/', '%', '^', '==', '!=', '<', '<=', '>', '>=', '=~', '!~']
const durationUnits = ['y', 'mo', 'w', 'd', 'h', 'm', 's', 'ms', 'us', 'µs', 'ns']

class ExternReader {
  #depth = 0

  file(value: unknown): File {
    return this.#node(['File'])(value) as File
  }

  readonly #shapes: Readonly<Record<string, Shape>> = this.#makeShapes()

  #makeShapes(): Record<string, Shape> {
    const expression = this.#node(groups.expression)
    const expressions = listOf(expression)
    const identifier = this.#node(['Identifier'])
    const name = this.#node(groups.name)
    const properties = listOf(this.#node(['Property']))
    const both = { left: expression, right: expression }
    return {
      File: {
        package: optional(this.#node(['PackageClause'])),
        imports: listOf(this.#node(['ImportDeclaration'])),
        body: listOf(this.#node(groups.statement)),
      },
      PackageClause: { name: identifier },
      ImportDeclaration: { as: optional(identifier), path: this.#node(['StringLiteral']) },
      VariableAssignment: { id: identifier, init: expression },
      MemberAssignment: { member: this.#node(['MemberExpression']), init: expression },
      ExpressionStatement: { expression },
      ReturnStatement: { argument: expression },
      OptionStatement: { assignment: this.#node(groups.assignment) },
      Block: { body: listOf(this.#node(groups.statement)) },
      Identifier: { name: identifierText },
      StringExpression: { parts: listOf(this.#node(groups.part)) },
      TextPart: { value: text },
      InterpolatedPart: { expression },
      ParenExpression: { expression },
      CallExpression: {
        callee: expression,
        arguments: atMostOne(listOf(this.#node(['ObjectExpression']))),
      },
      PipeExpression: { argument: expression, call: this.#node(['CallExpression']) },
      MemberExpression: { object: expression, property: name },
      IndexExpression: { array: expression, index: expression },
      FunctionExpression: {
        params: properties,
        body: this.#node([...groups.expression, 'Block']),
      },
      BinaryExpression: { operator: oneOf(binaryOperators), ...both },
      UnaryExpression: { operator: oneOf(['-', '+', 'not', 'exists']), argument: expression },
      LogicalExpression: { operator: oneOf(['and', 'or']), ...both },
      ConditionalExpression: { test: expression, consequent: expression, alternate: expression },
      ArrayExpression: { elements: expressions },
      DictExpression: { elements: listOf(this.#plain({ key: expression, val: expression })) },
      ObjectExpression: {
        with: absentOr(this.#withSource(identifier)),
        properties,
      },
      Property: { key: name, value: optional(expression) },
      StringLiteral: { value: text },
      BooleanLiteral: { value: boolean },
      FloatLiteral: { value: float },
      IntegerLiteral: { value: int64 },
      UnsignedIntegerLiteral: { value: uint64 },
      RegexpLiteral: { value: text },
      DurationLiteral: {
        values: listOf(this.#plain({ magnitude, unit: oneOf(durationUnits) })),
      },
      DateTimeLiteral: { value: moment },
      PipeLiteral: {},
    }
  }

  /** A node of one of these types. Where only one fits it need not be said: clients leave it out of the file. */
  #node(types: readonly string[]): Reader {
    const [only] = types.length === 1 ? types : []
    return (value) => {
      const fields = fieldsOf(value)
      const type = fields.get('type') ?? only
      if (typeof type !== 'string' || !types.includes(type)) {
        const known = types.length > 3 ? 'this place' : types.join(' or ')
        throw refused(`${JSON.stringify(type) ?? 'a node without type'} does not fit ${known}`)
      }
      if (++this.#depth > depthMax) throw refused(`more than ${depthMax} levels of nodes`)
      const read = this.#fields(this.#shapes[type], fields, type)
      this.#depth--
      return { type, location: nowhere, ...read }
    }
  }

  #plain(shape: Shape): Reader {
    return (value) => this.#fields(shape, fieldsOf(value), '')
  }

  /** `{source}`, or the identifier itself, as InfluxDB has it. */
  #withSource(identifier: Reader): Reader {
    return (value) => {
      const fields = fieldsOf(value)
      return { source: identifier(fields.has('source') ? fields.get('source') : value) }
    }
  }

  #fields(shape: Shape, fields: Fields, type: string): Record<string, unknown> {
    const read: Record<string, unknown> = {}
    for (const [name, reader] of Object.entries(shape)) {
      const value = reader(fields.get(name) ?? null)
      if (value === absent) continue
      if (value === missing) throw refused(`${type} has no ${name}`)
      read[name] = value
    }
    return read
  }
}

const absent = Symbol('absent')
const missing = Symbol('missing')

function refused(reason: string): UserError {
  return new UserError(
    'invalid',
    `failed to decode request body: extern json parse error: ${reason}`,
  )
}

function fieldsOf(value: unknown): Fields {
  if (value instanceof Map) return value
  throw refused('a node is an object')
}

function optional(reader: Reader): Reader {
  return (value) => (value === null ? null : reader(value))
}

function absentOr(reader: Reader): Reader {
  return (value) => (value === null ? absent : reader(value))
}

/** Go prints an empty list as null. */
function listOf(reader: Reader): Reader {
  return (value) => {
    if (value === null) return []
    if (Array.isArray(value)) return value.map(reader)
    throw refused('a list was expected')
  }
}

function atMostOne(reader: Reader): Reader {
  return (value) => {
    const list = reader(value) as unknown[]
    if (list.length > 1) throw refused('a call has one object of arguments')
    return list
  }
}

function oneOf(known: readonly string[]): Reader {
  return (value) => {
    if (typeof value === 'string' && known.includes(value)) return value
    throw refused(`${JSON.stringify(value)} is none of ${known.join(' ')}`)
  }
}

function text(value: unknown): unknown {
  return typeof value === 'string' ? value : missing
}

function identifierText(value: unknown): unknown {
  if (typeof value !== 'string' || !/^[\p{L}_][\p{L}\p{Nd}_]*$/u.test(value)) {
    throw refused(`${JSON.stringify(value)} is no identifier`)
  }
  return value
}

function boolean(value: unknown): unknown {
  return typeof value === 'boolean' ? value : missing
}

function float(value: unknown): unknown {
  const number = value instanceof JsonNumber ? Number(value.text) : Number.NaN
  return Number.isFinite(number) ? number : missing
}

/** As text, because JSON's numbers do not hold 64 bits; as a number they are taken, too. */
function digits(min: bigint, max: bigint): (value: unknown) => string {
  return (value) => {
    const spelt = value instanceof JsonNumber ? value.text : value
    const isWhole = typeof spelt === 'string' && /^-?\d{1,20}$/.test(spelt)
    if (isWhole && BigInt(spelt) >= min && BigInt(spelt) <= max) return spelt
    throw refused(`${JSON.stringify(spelt)} is no integer of 64 bits`)
  }
}

const int64 = digits(-(2n ** 63n), 2n ** 63n - 1n)
const uint64 = digits(0n, 2n ** 64n - 1n)

function magnitude(value: unknown): unknown {
  return BigInt(int64(value))
}

function moment(value: unknown): unknown {
  const form = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d))?$/
  if (typeof value === 'string' && form.test(value) && !Number.isNaN(Date.parse(value)))
    return value
  throw refused(`${JSON.stringify(value)} is no moment`)
}

// JSON → tree: the `extern` of a query, a file that runs before it. Nothing in it is trusted: names must be
// names, literals must be what the parser could have made, and bad nodes are refused. Comments between
// tokens are not read, they mean nothing to a tree that only runs.

import type {
  Block,
  CallExpression,
  Expression,
  File,
  Identifier,
  ImportDeclaration,
  InterpolatedPart,
  MemberAssignment,
  MemberExpression,
  PackageClause,
  Property,
  Statement,
  StringLiteral,
  TextPart,
  VariableAssignment,
} from './ast.js'
import { JsonCursor } from './json-cursor.js'
import { readBase, readLiteral } from './json-read-literals.js'
import { Scanner } from './scanner.js'

/** Throws a UserError for whatever is not the JSON of a file. */
export function fileFromJson(value: unknown): File {
  const at = new JsonCursor(value, 'extern')
  const type = at.field('type')
  if (type !== null && type.text() !== 'File') return type.fail('expected File')
  const clause = at.field('package')
  const name = at.field('name')?.text()
  return {
    type: 'File',
    ...readBase(at),
    ...(name === undefined ? {} : { name }),
    package: clause === null ? null : readPackageClause(clause),
    imports: at.list('imports', readImport),
    body: at.list('body', readStatement),
  }
}

function readPackageClause(at: JsonCursor): PackageClause {
  return { type: 'PackageClause', ...readBase(at), name: readIdentifier(at.need('name')) }
}

function readImport(at: JsonCursor): ImportDeclaration {
  const alias = at.field('as')
  return {
    type: 'ImportDeclaration',
    ...readBase(at),
    as: alias === null ? null : readIdentifier(alias),
    path: readStringLiteral(at.need('path')),
  }
}

function readStatement(at: JsonCursor): Statement {
  const base = readBase(at)
  const type = at.need('type').text()
  switch (type) {
    case 'ExpressionStatement':
      return { type, ...base, expression: readExpression(at.need('expression')) }
    case 'ReturnStatement':
      return { type, ...base, argument: readExpression(at.need('argument')) }
    case 'VariableAssignment':
      return readVariableAssignment(at)
    case 'OptionStatement':
      return { type, ...base, assignment: readAssignment(at.need('assignment')) }
    case 'TestCaseStatement': {
      const id = readIdentifier(at.need('id'))
      const block = readBlock(at.need('block'))
      const parent = at.field('extends')
      if (parent === null) return { type, ...base, id, block }
      return { type, ...base, id, extends: readStringLiteral(parent), block }
    }
    default:
      return at.fail(`"${type}" is no statement that can run`)
  }
}

function readVariableAssignment(at: JsonCursor): VariableAssignment {
  const id = readIdentifier(at.need('id'))
  const init = readExpression(at.need('init'))
  return { type: 'VariableAssignment', ...readBase(at), id, init }
}

function readAssignment(at: JsonCursor): VariableAssignment | MemberAssignment {
  const type = at.need('type').oneOf(['VariableAssignment', 'MemberAssignment'])
  if (type === 'VariableAssignment') return readVariableAssignment(at)
  const member = readMember(at.need('member'))
  return { type, ...readBase(at), member, init: readExpression(at.need('init')) }
}

function readBlock(at: JsonCursor): Block {
  return { type: 'Block', ...readBase(at), body: at.list('body', readStatement) }
}

function readIdentifier(at: JsonCursor): Identifier {
  const name = at.need('name').text()
  const token = new Scanner(name).scan()
  if (token.kind !== 'IDENT' || token.text !== name) at.fail(`"${name}" is no name`)
  return { type: 'Identifier', ...readBase(at), name }
}

function readStringLiteral(at: JsonCursor): StringLiteral {
  return { type: 'StringLiteral', ...readBase(at), value: at.need('value').text() }
}

function readKey(at: JsonCursor): Identifier | StringLiteral {
  const type = at.need('type').oneOf(['Identifier', 'StringLiteral'])
  return type === 'Identifier' ? readIdentifier(at) : readStringLiteral(at)
}

function readProperty(at: JsonCursor): Property {
  const value = at.field('value')
  return {
    type: 'Property',
    ...readBase(at),
    key: readKey(at.need('key')),
    value: value === null ? null : readExpression(value),
  }
}

function readMember(at: JsonCursor): MemberExpression {
  const object = readExpression(at.need('object'))
  const property = readKey(at.need('property'))
  return { type: 'MemberExpression', ...readBase(at), object, property }
}

function readCall(at: JsonCursor): CallExpression {
  const callee = readExpression(at.need('callee'))
  const list = at.list('arguments', readExpression)
  if (list.length > 1 || (list.length === 1 && list[0].type !== 'ObjectExpression')) {
    at.fail('expected at most one argument, a record')
  }
  return {
    type: 'CallExpression',
    ...readBase(at),
    callee,
    ...(list.length === 0 ? {} : { arguments: list }),
  }
}

function readStringPart(at: JsonCursor): TextPart | InterpolatedPart {
  const type = at.need('type').oneOf(['TextPart', 'InterpolatedPart'])
  const base = readBase(at)
  if (type === 'TextPart') return { type, ...base, value: at.need('value').text() }
  return { type, ...base, expression: readExpression(at.need('expression')) }
}

const binaryOperators = [
  '+',
  '-',
  '*',
  '/',
  '%',
  '^',
  '==',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  '=~',
  '!~',
] as const

function readExpression(at: JsonCursor): Expression {
  const type = at.need('type').text()
  return readOperation(at, type) ?? readContainer(at, type) ?? readLiteral(at, type)
}

function readOperation(at: JsonCursor, type: string): Expression | null {
  const base = readBase(at)
  const expression = (name: string) => readExpression(at.need(name))
  switch (type) {
    case 'Identifier':
      return readIdentifier(at)
    case 'ParenExpression':
      return { type, ...base, expression: expression('expression') }
    case 'CallExpression':
      return readCall(at)
    case 'PipeExpression':
      return { type, ...base, argument: expression('argument'), call: readCall(at.need('call')) }
    case 'MemberExpression':
      return readMember(at)
    case 'IndexExpression':
      return { type, ...base, array: expression('array'), index: expression('index') }
    case 'BinaryExpression': {
      const operator = at.need('operator').oneOf(binaryOperators)
      return { type, ...base, operator, left: expression('left'), right: expression('right') }
    }
    case 'LogicalExpression': {
      const operator = at.need('operator').oneOf(['and', 'or'])
      return { type, ...base, operator, left: expression('left'), right: expression('right') }
    }
    case 'UnaryExpression': {
      const operator = at.need('operator').oneOf(['-', '+', 'not', 'exists'])
      return { type, ...base, operator, argument: expression('argument') }
    }
    default:
      return null
  }
}

function readContainer(at: JsonCursor, type: string): Expression | null {
  const base = readBase(at)
  switch (type) {
    case 'ConditionalExpression':
      return {
        type,
        ...base,
        test: readExpression(at.need('test')),
        consequent: readExpression(at.need('consequent')),
        alternate: readExpression(at.need('alternate')),
      }
    case 'StringExpression':
      return { type, ...base, parts: at.list('parts', readStringPart) }
    case 'FunctionExpression':
      return { type, ...base, params: at.list('params', readProperty), body: readBody(at) }
    case 'ArrayExpression':
      return { type, ...base, elements: at.list('elements', readExpression) }
    case 'DictExpression': {
      const elements = at.list('elements', (item) => ({
        key: readExpression(item.need('key')),
        val: readExpression(item.need('val')),
      }))
      return { type, ...base, elements }
    }
    case 'ObjectExpression': {
      const source = at.field('with')
      const properties = at.list('properties', readProperty)
      if (source === null) return { type, ...base, properties }
      return { type, ...base, with: { source: readIdentifier(source) }, properties }
    }
    default:
      return null
  }
}

function readBody(at: JsonCursor): Expression | Block {
  const body = at.need('body')
  return body.need('type').text() === 'Block' ? readBlock(body) : readExpression(body)
}

// Function expressions → code, and the blocks that some of them have. Parameters take the first places
// of the frame, names of the block those behind.

import type { MaybePromise } from '../../platform/pull-stream.js'
import type { Block, FunctionExpression, Property, Statement } from '../syntax/ast.js'
import type { FluxValue, Parameter } from '../value/value.js'
import { ClosureFunction, type FunctionCode } from './closure-function.js'
import { type Compiler, compileError, frameAt } from './compiler.js'
import { type Evaluate, evaluateInOrder } from './evaluate.js'
import { compileExpression } from './expressions.js'
import type { Frame } from './frame.js'
import { keyName } from './records.js'

export function compileFunction(node: FunctionExpression, compiler: Compiler): Evaluate {
  compiler.scope.frame.hasFunctions = true
  const code = functionCode(node, compiler)
  return (frame) => new ClosureFunction(code, frame)
}

function functionCode(node: FunctionExpression, outer: Compiler): FunctionCode {
  const scope = outer.scope.function()
  const parameters = node.params.map(parameterOf)
  for (const { name } of parameters) scope.declare(name)
  const inner = outer.within(scope)
  const { body } = node
  return {
    node,
    typeText: () => outer.functionType(node),
    parameters,
    defaults: node.params.map(({ value }) => compileDefault(value, outer)),
    frame: scope.frame,
    body: body.type === 'Block' ? compileBlock(body, inner) : compileExpression(body, inner),
    lookup: (name, frame) => lookup(name, frame, outer),
  }
}

function parameterOf({ key, value }: Property): Parameter {
  const kind = value === null ? 'required' : value.type === 'PipeLiteral' ? 'pipe' : 'optional'
  return { name: keyName(key), kind }
}

function compileDefault(value: Property['value'], outer: Compiler): Evaluate | undefined {
  if (value === null || value.type === 'PipeLiteral') return undefined
  return compileExpression(value, outer)
}

function lookup(
  name: string,
  frame: Frame,
  compiler: Compiler,
): MaybePromise<FluxValue> | undefined {
  const place = compiler.scope.find(name)
  if (place !== undefined) return frameAt(frame, place.hops).slots[place.index]
  const found = compiler.packageName(name)
  return found === undefined ? undefined : frame.run.package(found.path).at(found.place)
}

/** Its value is that of the return statement, which comes last. */
function compileBlock({ body, location }: Block, outer: Compiler): Evaluate {
  const compiler = outer.within(outer.scope.block())
  if (body.at(-1)?.type !== 'ReturnStatement') {
    throw compileError(location, 'missing return statement in block')
  }
  const parts = body.map((statement) => compileInBlock(statement, compiler))
  return parts.length === 1 ? parts[0] : (frame) => evaluateInOrder(parts, frame)
}

function compileInBlock(statement: Statement, compiler: Compiler): Evaluate {
  switch (statement.type) {
    case 'VariableAssignment':
      return compileAssignment(
        statement.id.name,
        compileExpression(statement.init, compiler),
        compiler,
      )
    case 'ExpressionStatement':
      return compileExpression(statement.expression, compiler)
    case 'ReturnStatement':
      return compileExpression(statement.argument, compiler)
    default:
      throw compileError(statement.location, 'invalid statement in function block')
  }
}

/** The name means the new value from here on. */
export function compileAssignment(name: string, init: Evaluate, { scope }: Compiler): Evaluate {
  const index = scope.declare(name)
  return (frame) => {
    const value = init(frame)
    if (value instanceof Promise) {
      return value.then((ready) => {
        frame.slots[index] = ready
        return ready
      })
    }
    frame.slots[index] = value
    return value
  }
}

// Files → code: imports, assignments, options, and expressions whose streams become results. An extern
// file and the script behind it are compiled into one scope.

import { StreamNode } from '../node/node.js'
import type { File, ImportDeclaration, OptionStatement, Statement } from '../syntax/ast.js'
import { LocatedError, locationText } from '../value/error.js'
import type { FluxValue } from '../value/value.js'
import { type Compiler, compileError } from './compiler.js'
import { type Evaluate, evaluateOne, type FileCode } from './evaluate.js'
import { compileExpression } from './expressions.js'
import type { Frame } from './frame.js'
import { compileAssignment } from './functions.js'
import { keyName } from './records.js'
import { PackageRecord } from './run.js'

/** One after the other, into one scope. */
export function compileFiles(files: readonly File[], compiler: Compiler): FileCode {
  const statements: Evaluate[] = []
  for (const file of files) {
    for (const node of file.imports) statements.push(compileImport(node, compiler))
    for (const node of file.body) statements.push(compileStatement(node, compiler))
  }
  const { scope } = compiler
  const places = new Map<string, number>()
  for (const name of scope.names()) places.set(name, scope.find(name)!.index)
  return { frame: scope.frame, statements, places }
}

function compileImport({ as, path, location }: ImportDeclaration, compiler: Compiler): Evaluate {
  const isKnown = compiler.library.source(path.value) !== undefined
  if (!isKnown) throw compileError(location, `invalid import path ${path.value}`)
  const name = as?.name ?? path.value.slice(path.value.lastIndexOf('/') + 1)
  return compileAssignment(name, (frame) => frame.run.package(path.value), compiler)
}

function compileStatement(node: Statement, compiler: Compiler): Evaluate {
  switch (node.type) {
    case 'VariableAssignment':
      return compileAssignment(node.id.name, compileExpression(node.init, compiler), compiler)
    case 'TestStatement': {
      const { id, init } = node.assignment
      return compileAssignment(id.name, compileExpression(init, compiler), compiler)
    }
    case 'OptionStatement':
      return compileOption(node, compiler)
    case 'ExpressionStatement': {
      const value = compileExpression(node.expression, compiler)
      return compiler.packagePath === undefined ? shown(value) : value
    }
    case 'BuiltinStatement':
    case 'TestCaseStatement':
      return () => null
    case 'ReturnStatement':
    case 'MemberAssignment':
      throw compileError(node.location, 'invalid statement at the top level')
    case 'BadStatement':
      throw compileError(node.location, `invalid statement: ${node.text}`)
  }
}

/** A stream that stands alone is a result of the script. */
function shown(value: Evaluate): Evaluate {
  const note = (ready: FluxValue, { run }: Frame): FluxValue => {
    if (ready instanceof StreamNode) run.sideEffects.push({ node: ready, isCall: false })
    return ready
  }
  return (frame) => {
    const ready = value(frame)
    return ready instanceof Promise ? ready.then((last) => note(last, frame)) : note(ready, frame)
  }
}

function compileOption({ assignment }: OptionStatement, compiler: Compiler): Evaluate {
  const init = compileExpression(assignment.init, compiler)
  if (assignment.type === 'MemberAssignment') {
    const { member } = assignment
    const object = compileExpression(member.object, compiler)
    const name = keyName(member.property)
    const place = locationText(assignment.location)
    return (frame) => {
      const target = object(frame)
      if (!(target instanceof PackageRecord)) {
        throw new LocatedError(`${place}: cannot set option "${name}" on non-package value`)
      }
      return evaluateOne(init, (value) => {
        target.setOption(name, value)
        return value
      })(frame)
    }
  }
  const { name } = assignment.id
  const known = compiler.scope.find(name) === undefined ? compiler.packageName(name) : undefined
  if (known === undefined || !known.isOption || compiler.packagePath !== undefined) {
    return compileAssignment(name, init, compiler)
  }
  return (frame) =>
    evaluateOne(init, (value) => {
      frame.run.package(known.path).setOption(name, value)
      return value
    })(frame)
}

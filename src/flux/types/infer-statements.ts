// The types of statements and files: assignments give their names a type for all uses, options keep
// the type that their package gave them, imports bring packages into the file.

import type {
  BuiltinStatement,
  File,
  ImportDeclaration,
  OptionStatement,
  Statement,
  TestCaseStatement,
  VariableAssignment,
} from '../syntax/ast.js'
import type { Binding } from './environment.js'
import { inferExpression, placeOf } from './infer-expressions.js'
import type { Inference } from './inference.js'
import { generalize, plain } from './scheme.js'
import { schemeOf } from './signature.js'
import { ERROR } from './terms.js'

export function inferFile(inference: Inference, file: File): void {
  const imported = file.imports.map((declaration) => inferImport(inference, declaration))
  for (const statement of file.body) inferStatement(inference, statement)
  for (const name of imported) inference.scope.remove(name)
}

/** What a package is called where nothing else is said: the last part of its path. */
export function importName({ as, path }: ImportDeclaration): string {
  return as?.name ?? path.value.slice(path.value.lastIndexOf('/') + 1)
}

function inferImport(inference: Inference, declaration: ImportDeclaration): string {
  const name = importName(declaration)
  const types = inference.imports.importPackage(declaration.path.value)
  if (typeof types === 'string') {
    inference.fail(declaration.location, types)
    inference.scope.add(name, { kind: 'value', scheme: plain(ERROR) })
  } else inference.scope.add(name, { kind: 'package', types })
  return name
}

function inferStatement(inference: Inference, statement: Statement): void {
  switch (statement.type) {
    case 'VariableAssignment':
      inferAssignment(inference, statement)
      return
    case 'TestStatement':
      inferAssignment(inference, statement.assignment)
      return
    case 'ExpressionStatement':
      inferExpression(inference, statement.expression)
      return
    case 'OptionStatement':
      inferOption(inference, statement)
      return
    case 'BuiltinStatement':
      inferBuiltin(inference, statement)
      return
    case 'TestCaseStatement':
      inferTestCase(inference, statement)
      return
    case 'ReturnStatement':
      inference.fail(statement.location, 'return not valid in file block')
      return
    case 'MemberAssignment':
    case 'BadStatement':
      return
  }
}

export function inferAssignment(inference: Inference, assignment: VariableAssignment): void {
  inferAs(inference, assignment, undefined)
}

function inferAs(
  inference: Inference,
  { id, init }: VariableAssignment,
  option: Binding | undefined,
): void {
  const { unifier } = inference
  unifier.level++
  const type = inferExpression(inference, init)
  if (option !== undefined) unifier.equal(inference.typeOfBinding(option), type, placeOf(init))
  unifier.level--
  const scheme = generalize(type, unifier.level)
  inference.scope.add(id.name, { kind: 'value', scheme })
}

function inferOption(inference: Inference, { assignment }: OptionStatement): void {
  if (assignment.type === 'VariableAssignment') {
    // An option that the library has, such as `now`, keeps its type: the library uses it.
    const known = inference.scope.lookup(assignment.id.name)
    const isOption = known?.kind === 'value' && known.isOption === true
    inferAs(inference, assignment, isOption ? known : undefined)
    return
  }
  const { member, init } = assignment
  const type = inferExpression(inference, init)
  const expected = inferExpression(inference, member)
  inference.unifier.equal(expected, type, placeOf(init))
}

function inferBuiltin(inference: Inference, { id, ty, location }: BuiltinStatement): void {
  const scheme = schemeOf(ty, (at, message) => {
    inference.fail(at === ty.location ? location : at, message)
  })
  inference.scope.add(id.name, { kind: 'value', scheme })
}

function inferTestCase(inference: Inference, { block }: TestCaseStatement): void {
  inference.withinScope(() => {
    for (const statement of block.body) inferStatement(inference, statement)
  })
}

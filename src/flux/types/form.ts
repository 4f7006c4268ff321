// Mistakes in the form of a script that its grammar lets pass: blocks without a return, statements that
// no block may have, pipe literals where no parameter is. All of them, in the order of the text.

import type {
  Block,
  CallExpression,
  Expression,
  File,
  FunctionExpression,
  SourceLocation,
  Statement,
} from '../syntax/ast.js'
import { visitParts } from './children.js'
import { isAllowedInBlock } from './infer-functions.js'
import type { TypeProblem } from './problem.js'

export function formProblems(file: File): readonly TypeProblem[] {
  const form = new Form()
  for (const statement of file.body) form.statement(statement)
  return form.problems
}

const STATEMENT_NAMES: Readonly<Record<Statement['type'], string>> = {
  BadStatement: 'bad',
  VariableAssignment: 'variable',
  MemberAssignment: 'option',
  ExpressionStatement: 'expression',
  ReturnStatement: 'return',
  OptionStatement: 'option',
  BuiltinStatement: 'builtin',
  TestStatement: 'test',
  TestCaseStatement: 'testcase',
}

class Form {
  readonly problems: TypeProblem[] = []

  statement(statement: Statement): void {
    switch (statement.type) {
      case 'VariableAssignment':
        return this.expression(statement.init)
      case 'ExpressionStatement':
        return this.expression(statement.expression)
      case 'ReturnStatement':
        return this.expression(statement.argument)
      case 'OptionStatement':
        this.expression(statement.assignment.init)
        if (statement.assignment.type === 'MemberAssignment')
          this.expression(statement.assignment.member)
        return
      case 'TestStatement':
        return this.expression(statement.assignment.init)
      case 'TestCaseStatement':
        for (const part of statement.block.body) this.statement(part)
        return
      default:
        return
    }
  }

  expression(expression: Expression): void {
    if (expression.type === 'PipeLiteral') {
      const words = 'a pipe literal may only be used as a default value for an argument'
      this.#problem(expression.location, `${words} in a function definition`)
    } else if (expression.type === 'FunctionExpression') this.#parameters(expression)
    visitParts(expression, this)
    if (expression.type === 'CallExpression') this.#arguments(expression)
  }

  block(block: Block): void {
    const body: Statement[] = []
    for (const statement of block.body) {
      if (isAllowedInBlock(statement)) {
        this.statement(statement)
        body.push(statement)
      } else this.#notInBlock(statement.location, STATEMENT_NAMES[statement.type])
    }
    const last = body.pop()
    if (last?.type !== 'ReturnStatement')
      this.#problem((last ?? block).location, 'missing return statement in block')
    for (const { type, location } of body.reverse()) {
      if (type === 'ReturnStatement') this.#notInBlock(location, 'return')
    }
  }

  #parameters({ params }: FunctionExpression): void {
    let hasPipe = false
    for (const { key, value, location } of params) {
      if (value?.type === 'PipeLiteral') {
        const message = 'function types can have at most one pipe parameter'
        if (hasPipe) this.#problem(value.location, message)
        hasPipe = true
      }
      if (key.type !== 'Identifier')
        this.#problem(location, 'function parameters must be identifiers')
    }
  }

  #arguments({ arguments: given = [], location }: CallExpression): void {
    for (const argument of given) {
      if (argument.type !== 'ObjectExpression')
        this.#problem(argument.location, 'function parameters is not a record expression')
    }
    if (given.length > 1)
      this.#problem(location, 'function parameters are more than one record expression')
  }

  #notInBlock(location: SourceLocation, name: string): void {
    this.#problem(location, `invalid ${name} statement in function block`)
  }

  #problem(location: SourceLocation, message: string): void {
    this.problems.push({ location, message })
  }
}

// Names are assigned once per scope, options once per package, and options do not depend on each
// other. Only the first such mistake is told, as in Flux: the others often follow from it.

import type {
  Block,
  Expression,
  File,
  FunctionExpression,
  Identifier,
  OptionStatement,
  Statement,
  VariableAssignment,
} from '../syntax/ast.js'
import { visitParts } from './children.js'
import { keyName } from './infer-expressions.js'
import type { TypeProblem } from './problem.js'

export function assignmentProblem(files: readonly File[]): TypeProblem | undefined {
  const statements = files.flatMap(({ body }) => body)
  const options = new Map<string, OptionStatement>()
  for (const statement of statements) {
    if (statement.type !== 'OptionStatement') continue
    const name = optionName(statement)
    if (options.has(name))
      return { location: statement.location, message: `option "${name}" reassigned` }
    options.set(name, statement)
  }
  const names = new NameCheck(options)
  for (const statement of statements) names.statement(statement)
  return names.problem ?? dependencyProblem(options)
}

function optionName({ assignment }: OptionStatement): string {
  if (assignment.type === 'VariableAssignment') return assignment.id.name
  const { object, property } = assignment.member
  return `${object.type === 'Identifier' ? object.name : ''}.${keyName(property)}`
}

type Options = ReadonlyMap<string, OptionStatement>

/** Follows the scopes: functions and testcases open new ones, parameters count as names of theirs. */
abstract class ScopeWalk {
  protected readonly scopes: Set<string>[] = [new Set()]

  statement(statement: Statement): void {
    switch (statement.type) {
      case 'VariableAssignment':
        this.assignment(statement)
        return
      case 'TestStatement':
        this.assignment(statement.assignment)
        return
      case 'ExpressionStatement':
        return this.expression(statement.expression)
      case 'ReturnStatement':
        return this.expression(statement.argument)
      case 'OptionStatement':
        return this.expression(statement.assignment.init)
      case 'TestCaseStatement':
        return this.within(() => this.block(statement.block))
      default:
        return
    }
  }

  block(block: Block): void {
    for (const statement of block.body) this.statement(statement)
  }

  expression(expression: Expression): void {
    if (expression.type !== 'FunctionExpression') return visitParts(expression, this)
    this.within(() => {
      this.#bindParameters(expression)
      visitParts(expression, this)
    })
  }

  abstract assignment(assignment: VariableAssignment): void

  protected get innermost(): Set<string> {
    return this.scopes[this.scopes.length - 1]
  }

  protected within(inside: () => void): void {
    this.scopes.push(new Set())
    inside()
    this.scopes.pop()
  }

  #bindParameters({ params }: FunctionExpression): void {
    for (const { key } of params) this.innermost.add(keyName(key))
  }
}

class NameCheck extends ScopeWalk {
  problem: TypeProblem | undefined = undefined
  readonly #options: Options

  constructor(options: Options) {
    super()
    this.#options = options
  }

  assignment({ id: { name }, init, location }: VariableAssignment): void {
    if (this.problem !== undefined) return
    if (this.scopes.length === 1 && this.#options.has(name)) {
      const message = `variable "${name}" conflicts with option of same name`
      this.problem = { location, message }
    }
    if (this.innermost.has(name)) {
      this.problem = { location, message: `variable "${name}" reassigned` }
      return
    }
    this.innermost.add(name)
    this.expression(init)
  }
}

function dependencyProblem(options: Options): TypeProblem | undefined {
  for (const [name, { assignment }] of options) {
    if (assignment.type !== 'VariableAssignment') continue
    const uses = new OptionUses(options, name)
    uses.expression(assignment.init)
    const found = uses.found
    if (found === undefined) continue
    const which = `option "${name}" depends on option "${found.name}"`
    return { location: found.location, message: `${which}, which is defined in the same package` }
  }
  return undefined
}

/** Finds the first use of an option of the same package in the value of another. */
class OptionUses extends ScopeWalk {
  found: Identifier | undefined = undefined
  readonly #options: Options

  constructor(options: Options, own: string) {
    super()
    this.#options = options
    this.innermost.add(own)
  }

  override expression(expression: Expression): void {
    if (this.found !== undefined) return
    if (expression.type === 'Identifier') {
      const { name } = expression
      const isHidden = this.scopes.some((scope) => scope.has(name))
      if (!isHidden && this.#options.has(name)) this.found = expression
    }
    super.expression(expression)
  }

  assignment({ id, init }: VariableAssignment): void {
    this.innermost.add(id.name)
    this.expression(init)
  }
}

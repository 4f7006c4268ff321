// Walking over and rewriting expressions. Chains of operators lean to the left and may be thousands
// long, so the way down their left side is a loop and not a recursion.

import type { Binary, Call, Expression, Paren } from './ast.js'

/** Visits the expression and everything in it, from the outside in and from left to right; false: nothing inside. */
export function walkExpression(
  expression: Expression,
  visit: (expression: Expression) => unknown,
): void {
  const rights: Expression[] = []
  let at: Expression = expression
  while (at.kind === 'binary' && visit(at) !== false) {
    rights.push(at.right)
    at = at.left
  }
  // The loop ends at what is no operator, or at an operator that does not want its inside seen.
  if (at.kind !== 'binary' && visit(at) !== false) {
    if (at.kind === 'paren') walkExpression(at.inner, visit)
    else if (at.kind === 'call') for (const arg of at.args) walkExpression(arg, visit)
  }
  for (let i = rights.length - 1; i >= 0; i--) walkExpression(rights[i], visit)
}

export function someExpression(
  expression: Expression,
  test: (expression: Expression) => boolean,
): boolean {
  let found = false
  walkExpression(expression, (e) => {
    found ||= test(e)
    return !found
  })
  return found
}

/** Rewrites from the inside out: `change` sees each node with its parts already rewritten. */
export function mapExpression(
  expression: Expression,
  change: (expression: Expression) => Expression,
): Expression {
  const spine: Binary[] = []
  let at: Expression = expression
  while (at.kind === 'binary') {
    spine.push(at)
    at = at.left
  }
  let result = change(mapInside(at, change))
  for (let i = spine.length - 1; i >= 0; i--) {
    const right = mapExpression(spine[i].right, change)
    const isSame = result === spine[i].left && right === spine[i].right
    result = change(isSame ? spine[i] : withSides(spine[i], result, right))
  }
  return result
}

/** Nodes in which nothing changed stay the objects they were. */
function mapInside(
  expression: Exclude<Expression, Binary>,
  change: (expression: Expression) => Expression,
): Expression {
  if (expression.kind === 'paren') {
    const inner = mapExpression(expression.inner, change)
    return inner === expression.inner ? expression : withInner(expression, inner)
  }
  if (expression.kind === 'call') {
    const args = expression.args.map((arg) => mapExpression(arg, change))
    return args.every((arg, i) => arg === expression.args[i])
      ? expression
      : withArgs(expression, args)
  }
  return expression
}

// The same node with other parts. Each is written out and not spread: the engine gives what comes of a spread a shape
// of its own, sometimes a new one each time, and code that was compiled for a query is then thrown away at the next.

export function withSides({ op, at }: Binary, left: Expression, right: Expression): Binary {
  return { kind: 'binary', op, left, right, at }
}

export function withInner({ at }: Paren, inner: Expression): Paren {
  return { kind: 'paren', inner, at }
}

export function withArgs({ name, at }: Call, args: readonly Expression[]): Call {
  return { kind: 'call', name, args, at }
}

// What a SELECT must satisfy before anybody looks at data: numbers and kinds of arguments, what may
// stand beside what. Reports the first thing wrong, in InfluxDB's words and in the order in which it
// looks. Learns on the way what planning needs: the interval, whether there are aggregates.

import { yearOneNs } from '../../column/time.js'
import { UserError } from '../../errors.js'
import { checkArgumentCount } from '../functions/arguments.js'
import type { MathSpec, TransformSpec } from '../functions/function-spec.js'
import { findFunction } from '../functions/functions.js'
import type { Binary, Call, Expression, Field, Select } from '../syntax/ast.js'
import { printExpression } from '../syntax/printer.js'
import { walkExpression } from '../syntax/walk.js'
import { isLiteral, leftSpine, reduce } from './reduce.js'

export interface SelectFacts {
  /** The calls of aggregates, selectors and transformations at the top of expressions. */
  readonly callCount: number
  readonly hasDistinct: boolean
  readonly hasPlainFields: boolean
  readonly onlySelectors: boolean
}

export interface SelectContext {
  readonly hasInterval: boolean
  /** The interval is that of the query around it, so that raw fields may stand without an aggregate. */
  readonly isIntervalInherited: boolean
  readonly isSubquery: boolean
}

function refuse(message: string): never {
  throw new UserError('invalid', message)
}

/** Fields without `time`, folded. */
export function checkSelect(
  select: Select,
  fields: readonly Field[],
  context: SelectContext,
): SelectFacts {
  const checker = new SelectChecker(select, context)
  for (const field of fields) checker.checkField(field.expression)
  checker.checkTogether(fields.length)
  return checker
}

class SelectChecker implements SelectFacts {
  callCount = 0
  hasDistinct = false
  hasPlainFields = false
  onlySelectors = true
  readonly #select: Select
  readonly #context: SelectContext
  #topOrBottom = ''
  #allowWildcard = true

  constructor(select: Select, context: SelectContext) {
    this.#select = select
    this.#context = context
  }

  checkField(expression: Expression): void {
    this.#allowWildcard = true
    this.#check(expression)
  }

  checkTogether(fieldCount: number): void {
    if (fieldCount === 0) refuse('at least 1 non-time field must be queried')
    if (this.callCount > 1 && this.#topOrBottom !== '') this.#refuseTopBottom()
    if (this.callCount === 0) this.#checkRaw()
    if (this.hasDistinct && (this.callCount !== 1 || this.hasPlainFields)) {
      refuse('aggregate function distinct() cannot be combined with other functions or fields')
    }
    if (!this.hasPlainFields) return
    if (!this.onlySelectors) refuse('mixing aggregate and non-aggregate queries is not supported')
    if (this.callCount > 1) {
      refuse('mixing multiple selector functions with tags or fields is not supported')
    }
  }

  #checkRaw(): void {
    const { hasInterval, isIntervalInherited, isSubquery } = this.#context
    const hasOwnInterval = hasInterval && !isIntervalInherited
    const { kind: written } = this.#select.fill
    // Windows of a subquery are not filled with nulls, which is as if nobody wanted them filled.
    const kind = written === 'null' && isSubquery && hasOwnInterval ? 'none' : written
    if (kind === 'none' || kind === 'linear') refuse(`fill(${kind}) must be used with a function`)
    if (hasOwnInterval) {
      refuse('GROUP BY requires at least one aggregate function')
    }
  }

  #check(expression: Expression): void {
    switch (expression.kind) {
      case 'reference':
        this.hasPlainFields = true
        return
      case 'wildcard':
      case 'regex':
        if (!this.#allowWildcard) {
          refuse(`unable to use ${expression.kind} in a binary expression`)
        }
        this.hasPlainFields = true
        return
      case 'call':
        return this.#checkCall(expression)
      case 'distinct':
        this.callCount++
        return this.#checkDistinct([{ kind: 'reference', name: expression.name }], false)
      case 'binary':
        return this.#checkBinary(expression)
      case 'paren':
        return this.#check(expression.inner)
      default:
        refuse('field must contain at least one variable')
    }
  }

  /** From the left end of a chain of operators, which may be thousands long. */
  #checkBinary(binary: Binary): void {
    this.#allowWildcard = false
    const chain = leftSpine(binary).reverse()
    const [{ left, right }] = chain
    if (isLiteral(left) && isLiteral(right)) {
      refuse('cannot perform a binary expression on two literals')
    }
    if (!isLiteral(left)) this.#check(left)
    for (const each of chain) if (!isLiteral(each.right)) this.#check(each.right)
  }

  #checkCall(call: Call): void {
    const { name, args } = call
    const spec = findFunction(name)
    if (spec?.kind === 'math') return this.#checkMath(call, spec)
    this.callCount++
    if (spec === undefined) refuse(`undefined function ${name}()`)
    if (name === 'distinct') return this.#checkDistinct(args, false)
    const isReducer = spec.work === 'reduce'
    const isTopOrBottom = isReducer && spec.bestOfTags !== undefined
    if (isTopOrBottom && this.#topOrBottom !== '') this.#refuseTopBottom()
    checkArgumentCount(call, spec.argumentCounts)
    spec.checkArguments?.(call, this.#select.limit)
    if (spec.kind !== 'selector') this.onlySelectors = false
    if (isTopOrBottom) {
      this.#topOrBottom = name
      if (args.length > 2 && this.#select.target === undefined) this.hasPlainFields = true
    }
    if (!isReducer) return this.#checkInput(call, spec.input)
    const distinct = spec.ofDistinct && distinctArguments(args[0])
    if (distinct !== undefined) return this.#checkDistinct(distinct, true)
    this.#checkFieldArgument(name, args[0])
  }

  #checkMath(call: Call, spec: MathSpec): void {
    checkArgumentCount(call, spec.argumentCounts)
    for (const arg of call.args) if (!isLiteral(arg)) this.#check(arg)
  }

  #checkFieldArgument(name: string, arg: Expression): void {
    if (arg.kind === 'reference') return
    if (arg.kind !== 'wildcard' && arg.kind !== 'regex') {
      refuse(`expected field argument in ${name}()`)
    }
    if (!this.#allowWildcard) {
      const what = arg.kind === 'wildcard' ? 'wildcard' : 'regex field'
      refuse(`unsupported expression with ${what}: ${name}()`)
    }
    this.onlySelectors = false
  }

  #checkDistinct(args: readonly Expression[], isNested: boolean): void {
    if (args.length === 0) refuse('distinct function requires at least one argument')
    if (args.length !== 1) refuse('distinct function can only have one argument')
    if (args[0].kind !== 'reference') refuse('expected field argument in distinct()')
    if (!isNested) this.hasDistinct = true
    this.onlySelectors = false
  }

  #refuseTopBottom(): never {
    refuse(`selector function ${this.#topOrBottom}() cannot be combined with other functions`)
  }

  /** The first argument of a function that takes points: a field, or an aggregate by windows. */
  #checkInput({ name, args: [arg] }: Call, input: TransformSpec['input']): void {
    if (input !== 'field') {
      if (arg.kind === 'call') {
        if (!this.#context.hasInterval) refuse(`${name} aggregate requires a GROUP BY interval`)
        return this.#checkNested(arg)
      }
      if (input === 'aggregate') refuse(`must use aggregate function with ${name}`)
      if (this.#context.hasInterval && !this.#context.isIntervalInherited) {
        refuse(`aggregate function required inside the call to ${name}`)
      }
    }
    this.#checkFieldArgument(name, arg)
  }

  /** The call inside is not counted again, but for what it may stand beside it matters like any other. */
  #checkNested(call: Call): void {
    if (call.name === 'distinct') return this.#checkDistinct(call.args, true)
    this.#check(call)
  }
}

/** Undefined: no distinct values are asked for. */
function distinctArguments(arg: Expression): readonly Expression[] | undefined {
  if (arg.kind === 'distinct') return [{ kind: 'reference', name: arg.name }]
  return arg.kind === 'call' && arg.name === 'distinct' ? arg.args : undefined
}

/** No aggregates in a WHERE clause; mathematical functions have the right number of arguments. */
export function checkCondition(condition: Expression | undefined): void {
  if (condition === undefined) return
  walkExpression(condition, (node) => {
    if (node.kind !== 'call') return node.kind === 'binary'
    const spec = findFunction(node.name)
    if (spec?.kind !== 'math') {
      refuse(`invalid function call in condition: ${printExpression(node)}`)
    }
    checkArgumentCount(node, spec.ignoresSecond ? [1, 1] : spec.argumentCounts)
    return true
  })
}

/** GROUP BY time(): windows of a fixed length, or of so many months. */
export interface Interval {
  readonly ns: bigint
  readonly months: number
  readonly offsetNs: bigint
}

/** The interval of GROUP BY time(), undefined where there is none. `now` is what `time(1m, now())` means. */
export function checkDimensions(
  select: Select,
  now: bigint,
  parseTime: (text: string) => bigint | undefined,
): Interval | undefined {
  let interval: Interval | undefined
  for (const dimension of select.dimensions) {
    const expression = reduce(dimension.expression)
    switch (expression.kind) {
      case 'reference':
        if (expression.name.toLowerCase() === 'time') {
          refuse('time() is a function and expects at least one argument')
        }
        break
      case 'call':
        interval = timeDimension(expression, interval, now, parseTime)
        break
      case 'wildcard':
      case 'regex':
        break
      default:
        refuse('only time and tag dimensions allowed')
    }
  }
  return interval === undefined || (interval.ns <= 0n && interval.months === 0)
    ? undefined
    : interval
}

function timeDimension(
  call: Call,
  before: Interval | undefined,
  now: bigint,
  parseTime: (text: string) => bigint | undefined,
): Interval {
  const { name, args } = call
  if (name !== 'time') refuse('only time() calls allowed in dimensions')
  if (args.length < 1 || args.length > 2) refuse('time dimension expected 1 or 2 arguments')
  const [length, offset] = args
  if (length.kind !== 'duration') refuse('time dimension must have duration argument')
  if (before !== undefined && (before.ns !== 0n || before.months !== 0)) {
    refuse('multiple time dimensions not allowed')
  }
  const { ns, months } = length
  return { ns, months, offsetNs: offset === undefined ? 0n : offsetOf(offset, ns, now, parseTime) }
}

function offsetOf(
  offset: Expression,
  ns: bigint,
  now: bigint,
  parseTime: (text: string) => bigint | undefined,
): bigint {
  // Months have no remainder to speak of: the offset is taken as it stands.
  const within = (time: bigint): bigint => (ns === 0n ? time : time % ns)
  switch (offset.kind) {
    case 'duration':
      return within(offset.ns)
    case 'time':
      return sinceTruncated(offset.ns, ns)
    case 'call':
      if (offset.name !== 'now') refuse('time dimension offset function must be now()')
      if (offset.args.length !== 0) {
        refuse('time dimension offset now() function requires no arguments')
      }
      return sinceTruncated(now, ns)
    case 'string': {
      const time = parseTime(offset.value)
      if (time === undefined) refuse('time dimension offset must be duration or now()')
      return sinceTruncated(time, ns)
    }
    default:
      refuse('time dimension offset must be duration or now()')
  }
}

function sinceTruncated(time: bigint, ns: bigint): bigint {
  if (ns <= 0n) return 0n
  const remainder = (time - yearOneNs) % ns
  return remainder < 0n ? remainder + ns : remainder
}

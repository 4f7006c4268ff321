// What a SELECT must satisfy before anybody looks at data: numbers and kinds of arguments, what may
// stand beside what. Reports the first thing wrong, in InfluxDB's words and in the order in which it
// looks. Learns on the way what planning needs: the interval, whether there are aggregates.

import { yearOneNs } from '../../column/time.js'
import { UserError } from '../../errors.js'
import { functionKind } from '../functions/functions.js'
import type { Binary, Call, Expression, Field, Select } from '../syntax/ast.js'
import { printDuration, printExpression } from '../syntax/printer.js'
import { walkExpression } from '../syntax/walk.js'
import { goTypes } from './condition.js'
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

const selectors = new Set(['max', 'min', 'first', 'last'])
const aggregates = new Set(['count', 'sum', 'mean', 'median', 'mode', 'stddev', 'spread'])

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
    if (functionKind(call.name) === 'math') return this.#checkMath(call)
    this.callCount++
    const rule = callRules[call.name]
    if (rule !== undefined) return this.#checkByRule(call, rule)
    switch (call.name) {
      case 'distinct':
        return this.#checkDistinct(call.args, false)
      case 'top':
      case 'bottom':
        return this.#checkTopBottom(call)
      default:
        return this.#checkAggregate(call)
    }
  }

  #checkMath(call: Call): void {
    checkArgumentCount(call, mathArgumentCount(call.name))
    for (const arg of call.args) if (!isLiteral(arg)) this.#check(arg)
  }

  #checkAggregate(call: Call): void {
    if (aggregates.has(call.name)) this.onlySelectors = false
    else if (!selectors.has(call.name)) refuse(`undefined function ${call.name}()`)
    checkArgumentCount(call, 1)
    const [arg] = call.args
    if (call.name === 'count' && arg.kind === 'call' && arg.name === 'distinct') {
      return this.#checkDistinct(arg.args, true)
    }
    if (call.name === 'count' && arg.kind === 'distinct') {
      return this.#checkDistinct([{ kind: 'reference', name: arg.name }], true)
    }
    this.#checkFieldArgument(call.name, arg)
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

  #checkTopBottom(call: Call): void {
    const { name, args } = call
    if (this.#topOrBottom !== '') this.#refuseTopBottom()
    if (args.length < 2)
      refuse(`invalid number of arguments for ${name}, expected at least 2, got ${args.length}`)
    const last = args[args.length - 1]
    if (last.kind !== 'integer') {
      refuse(`expected integer as last argument in ${name}(), found ${printExpression(last)}`)
    }
    if (last.value <= 0n) refuse(`limit (${last.value}) in ${name} function must be at least 1`)
    const { limit } = this.#select
    if (limit > 0 && last.value > BigInt(limit)) {
      const rest = `can not be larger than the LIMIT (${limit}) in the select statement`
      refuse(`limit (${last.value}) in ${name} function ${rest}`)
    }
    if (args[0].kind !== 'reference') {
      const found = printExpression(args[0])
      refuse(`expected first argument to be a field in ${name}(), found ${found}`)
    }
    for (const arg of args.slice(1, -1)) {
      if (arg.kind !== 'reference') {
        refuse(`only fields or tags are allowed in ${name}(), found ${printExpression(arg)}`)
      }
      if (this.#select.target === undefined) this.hasPlainFields = true
    }
    this.#topOrBottom = name
  }

  #refuseTopBottom(): never {
    refuse(`selector function ${this.#topOrBottom}() cannot be combined with other functions`)
  }

  #checkByRule(call: Call, rule: CallRule): void {
    const { name, args } = call
    const [min, max] = rule.argumentCounts
    if (args.length < min || args.length > max) {
      const expected =
        min === max ? `expected ${min}` : `expected at least ${min} but no more than ${max}`
      refuse(`invalid number of arguments for ${name}, ${expected}, got ${args.length}`)
    }
    rule.check?.(name, args)
    if (rule.isSelector !== true) this.onlySelectors = false
    if (rule.input === 'field') return this.#checkFieldArgument(name, args[0])
    const isHoltWinters = rule.input === 'aggregate'
    if (args[0].kind === 'call') {
      if (!this.#context.hasInterval) refuse(`${name} aggregate requires a GROUP BY interval`)
      return this.#checkNested(args[0])
    }
    if (isHoltWinters) refuse(`must use aggregate function with ${name}`)
    if (this.#context.hasInterval && !this.#context.isIntervalInherited) {
      refuse(`aggregate function required inside the call to ${name}`)
    }
    this.#checkFieldArgument(name, args[0])
  }

  /** The call inside is not counted again, but for what it may stand beside it matters like any other. */
  #checkNested(call: Call): void {
    if (call.name === 'distinct') return this.#checkDistinct(call.args, true)
    this.#check(call)
  }
}

export function mathArgumentCount(name: string): number {
  return name === 'atan2' || name === 'pow' || name === 'log' ? 2 : 1
}

function checkArgumentCount(call: Call, count: number): void {
  if (call.args.length === count) return
  const figures = `expected ${count}, got ${call.args.length}`
  refuse(`invalid number of arguments for ${call.name}, ${figures}`)
}

interface CallRule {
  readonly argumentCounts: readonly [number, number]
  /** What the first argument may be: a field, a field or an aggregate of it, an aggregate only. */
  readonly input: 'field' | 'any' | 'aggregate'
  readonly isSelector?: boolean
  readonly check?: (name: string, args: readonly Expression[]) => void
}

function checkUnit(name: string, args: readonly Expression[]): void {
  if (args.length < 2) return
  const [, unit] = args
  if (unit.kind !== 'duration') {
    if (name === 'integral') refuse('second argument must be a duration')
    refuse(`second argument to ${name} must be a duration, got ${goTypes[unit.kind]}`)
  }
  if (unit.ns <= 0n) refuse(`duration argument must be positive, got ${printDuration(unit.ns)}`)
}

function checkPercentile(_name: string, args: readonly Expression[]): void {
  const { kind } = args[1]
  if (kind !== 'integer' && kind !== 'number') refuse('expected float argument in percentile()')
}

function checkSample(_name: string, args: readonly Expression[]): void {
  const [, size] = args
  if (size.kind !== 'integer') refuse('expected integer argument in sample()')
  if (size.value <= 0n) refuse(`sample window must be greater than 1, got ${size.value}`)
}

function checkMovingAverage(_name: string, args: readonly Expression[]): void {
  const [, size] = args
  if (size.kind !== 'integer') {
    refuse(`second argument for moving_average must be an integer, got ${goTypes[size.kind]}`)
  }
  if (size.value <= 1n) refuse(`moving_average window must be greater than 1, got ${size.value}`)
}

function checkPeriod(name: string, args: readonly Expression[]): void {
  const [, period, hold] = args
  if (period.kind !== 'integer') refuse(`${name} period must be an integer`)
  if (period.value < 1n) refuse(`${name} period must be greater than or equal to 1`)
  if (hold === undefined) return
  if (hold.kind !== 'integer') refuse(`${name} hold period must be an integer`)
  if (hold.value === -1n) return
  const least = name === 'triple_exponential_derivative' ? 1n : 0n
  // Below zero the second of InfluxDB's two checks is not reached.
  if (hold.value < least) refuse(`${name} hold period must be greater than or equal to ${least}`)
}

function checkWarmUp(name: string, args: readonly Expression[]): void {
  checkPeriod(name, args)
  if (args.length < 4) return
  const [, , , warmUp] = args
  if (warmUp.kind !== 'string') refuse(`${name} warmup type must be a string`)
  const known = ['exponential', 'simple']
  if (name === 'chande_momentum_oscillator') known.unshift('none')
  if (known.includes(warmUp.value)) return
  refuse(`${name} warmup type must be one of: ${known.map((each) => `'${each}'`).join(' ')}`)
}

function checkHoltWinters(name: string, args: readonly Expression[]): void {
  const [, count, season] = args
  if (count.kind !== 'integer') refuse(`expected integer argument as second arg in ${name}`)
  if (count.value <= 0n) refuse(`second arg to ${name} must be greater than 0, got ${count.value}`)
  if (season.kind !== 'integer') refuse(`expected integer argument as third arg in ${name}`)
  if (season.value < 0n) refuse(`third arg to ${name} cannot be negative, got ${season.value}`)
}

const callRules: Readonly<Record<string, CallRule>> = {
  percentile: { argumentCounts: [2, 2], input: 'field', isSelector: true, check: checkPercentile },
  sample: { argumentCounts: [2, 2], input: 'field', isSelector: true, check: checkSample },
  integral: { argumentCounts: [1, 2], input: 'field', check: checkUnit },
  derivative: { argumentCounts: [1, 2], input: 'any', check: checkUnit },
  non_negative_derivative: { argumentCounts: [1, 2], input: 'any', check: checkUnit },
  elapsed: { argumentCounts: [1, 2], input: 'any', check: checkUnit },
  difference: { argumentCounts: [1, 1], input: 'any' },
  non_negative_difference: { argumentCounts: [1, 1], input: 'any' },
  cumulative_sum: { argumentCounts: [1, 1], input: 'any' },
  moving_average: { argumentCounts: [2, 2], input: 'any', check: checkMovingAverage },
  exponential_moving_average: { argumentCounts: [2, 4], input: 'any', check: checkWarmUp },
  double_exponential_moving_average: { argumentCounts: [2, 4], input: 'any', check: checkWarmUp },
  triple_exponential_moving_average: { argumentCounts: [2, 4], input: 'any', check: checkWarmUp },
  triple_exponential_derivative: { argumentCounts: [2, 4], input: 'any', check: checkWarmUp },
  relative_strength_index: { argumentCounts: [2, 4], input: 'any', check: checkWarmUp },
  kaufmans_efficiency_ratio: { argumentCounts: [2, 3], input: 'any', check: checkPeriod },
  kaufmans_adaptive_moving_average: { argumentCounts: [2, 3], input: 'any', check: checkPeriod },
  chande_momentum_oscillator: { argumentCounts: [2, 4], input: 'any', check: checkWarmUp },
  holt_winters: { argumentCounts: [3, 3], input: 'aggregate', check: checkHoltWinters },
  holt_winters_with_fit: { argumentCounts: [3, 3], input: 'aggregate', check: checkHoltWinters },
}

/** No aggregates in a WHERE clause; mathematical functions have the right number of arguments. */
export function checkCondition(condition: Expression | undefined): void {
  if (condition === undefined) return
  walkExpression(condition, (node) => {
    if (node.kind !== 'call') return node.kind === 'binary'
    if (functionKind(node.name) !== 'math') {
      refuse(`invalid function call in condition: ${printExpression(node)}`)
    }
    checkArgumentCount(node, node.name === 'atan2' || node.name === 'pow' ? 2 : 1)
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

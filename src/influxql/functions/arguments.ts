// The arguments of calls behind the field: refused in InfluxDB's words while a query is planned, and read
// when its functions are made.

import { assert, UserError } from '../../errors.js'
import type { Call, Expression } from '../syntax/ast.js'
import { goTypes } from '../syntax/go-types.js'
import { printDuration, printExpression } from '../syntax/printer.js'

export function durationOf(expression: Expression | undefined): bigint | undefined {
  return expression?.kind === 'duration' ? expression.ns : undefined
}

export function integerOf(expression: Expression | undefined): number | undefined {
  return expression?.kind === 'integer' ? Number(expression.value) : undefined
}

/** One that the checks have let pass. */
export function integerArgument(expression: Expression | undefined): number {
  const value = integerOf(expression)
  assert(value !== undefined, 'an integer was checked for')
  return value
}

export function numberArgument(expression: Expression | undefined): number {
  return expression?.kind === 'number' ? expression.value : integerArgument(expression)
}

function refuse(message: string): never {
  throw new UserError('invalid', message)
}

export function checkArgumentCount(
  { name, args }: Call,
  [min, max]: readonly [number, number],
): void {
  if (args.length >= min && args.length <= max) return
  const more = max === Number.POSITIVE_INFINITY ? '' : ` but no more than ${max}`
  const expected = min === max ? `expected ${min}` : `expected at least ${min}${more}`
  refuse(`invalid number of arguments for ${name}, ${expected}, got ${args.length}`)
}

export function checkUnit({ name, args: [, unit] }: Call): void {
  if (unit === undefined) return
  if (unit.kind !== 'duration') {
    refuse(`second argument to ${name} must be a duration, got ${goTypes[unit.kind]}`)
  }
  if (unit.ns <= 0n) refuse(`duration argument must be positive, got ${printDuration(unit.ns)}`)
}

export function checkIntegralUnit(call: Call): void {
  const [, unit] = call.args
  if (unit !== undefined && unit.kind !== 'duration') refuse('second argument must be a duration')
  checkUnit(call)
}

export function checkPercentile({ args }: Call): void {
  const { kind } = args[1]
  if (kind !== 'integer' && kind !== 'number') refuse('expected float argument in percentile()')
}

export function checkSample({ args: [, size] }: Call): void {
  if (size.kind !== 'integer') refuse('expected integer argument in sample()')
  if (size.value <= 0n) refuse(`sample window must be greater than 1, got ${size.value}`)
}

export function checkTopBottom({ name, args }: Call, limit: number): void {
  const last = args[args.length - 1]
  if (last.kind !== 'integer') {
    refuse(`expected integer as last argument in ${name}(), found ${printExpression(last)}`)
  }
  if (last.value <= 0n) refuse(`limit (${last.value}) in ${name} function must be at least 1`)
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
  }
}

export function checkMovingAverage({ args: [, size] }: Call): void {
  if (size.kind !== 'integer') {
    refuse(`second argument for moving_average must be an integer, got ${goTypes[size.kind]}`)
  }
  if (size.value <= 1n) refuse(`moving_average window must be greater than 1, got ${size.value}`)
}

/** A period, how many points are held back (-1: as many as it takes to warm up), and how it warms up. */
export function checkIndicator(
  { name, args: [, period, hold, warmup] }: Call,
  holdMin: bigint,
  warmups: readonly string[],
): void {
  if (period.kind !== 'integer') refuse(`${name} period must be an integer`)
  if (period.value < 1n) refuse(`${name} period must be greater than or equal to 1`)
  if (hold === undefined) return
  if (hold.kind !== 'integer') refuse(`${name} hold period must be an integer`)
  if (hold.value !== -1n && hold.value < holdMin) {
    refuse(`${name} hold period must be greater than or equal to ${holdMin}`)
  }
  if (warmup === undefined) return
  if (warmup.kind !== 'string') refuse(`${name} warmup type must be a string`)
  if (warmups.includes(warmup.value)) return
  refuse(`${name} warmup type must be one of: ${warmups.map((each) => `'${each}'`).join(' ')}`)
}

export function checkHoltWinters({ name, args: [, count, season] }: Call): void {
  if (count.kind !== 'integer') refuse(`expected integer argument as second arg in ${name}`)
  if (count.value <= 0n) refuse(`second arg to ${name} must be greater than 0, got ${count.value}`)
  if (season.kind !== 'integer') refuse(`expected integer argument as third arg in ${name}`)
  if (season.value < 0n) refuse(`third arg to ${name} cannot be negative, got ${season.value}`)
}

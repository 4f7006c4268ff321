// The package `bitwise`, and `experimental/bitwise` from before it moved: bits of 64-bit integers,
// signed (`s…`) and unsigned (`u…`). Shifts by 64 and more leave nothing but the sign.

import { type Call, type Definition, type Definitions, native } from '../../package/define.js'
import { FluxError } from '../../value/error.js'
import { Uint } from '../../value/value.js'

type Operation = (a: bigint, b: bigint) => bigint

const operations: readonly (readonly [string, Operation])[] = [
  ['and', (a, b) => a & b],
  ['or', (a, b) => a | b],
  ['xor', (a, b) => a ^ b],
  ['clear', (a, b) => a & ~b],
]

function signed(operation: Operation): Definition {
  return native('(a: int, b: int) => int', (call) =>
    BigInt.asIntN(64, operation(call.int('a'), call.int('b'))),
  )
}

function unsigned(operation: Operation): Definition {
  return native('(a: uint, b: uint) => uint', (call) =>
    uint(operation(call.uint('a'), call.uint('b'))),
  )
}

function uint(value: bigint): Uint {
  return new Uint(BigInt.asUintN(64, value))
}

/** 64 and more are as good as 64. */
function shift(call: Call): bigint {
  const b = call.required('b')
  const places = b instanceof Uint ? b.value : call.int('b')
  if (places < 0n) throw new FluxError(`negative shift amount: ${places}`)
  return places > 64n ? 64n : places
}

export const bitwiseBuiltins: Definitions = {
  ...Object.fromEntries(
    operations.flatMap(([name, operation]) => [
      [`s${name}`, signed(operation)],
      [`u${name}`, unsigned(operation)],
    ]),
  ),
  snot: native('(a: int) => int', (call) => BigInt.asIntN(64, ~call.int('a'))),
  unot: native('(a: uint) => uint', (call) => uint(~call.uint('a'))),
  slshift: native('(a: int, b: int) => int', (call) =>
    BigInt.asIntN(64, call.int('a') << shift(call)),
  ),
  srshift: native('(a: int, b: int) => int', (call) => call.int('a') >> shift(call)),
  ulshift: native('(a: uint, b: uint) => uint', (call) => uint(call.uint('a') << shift(call))),
  urshift: native('(a: uint, b: uint) => uint', (call) => uint(call.uint('a') >> shift(call))),
}

// The functions of the universe that work on single values and arrays: conversions, texts, bins, and
// the way to end a script.

import {
  type Call,
  constant,
  type Definition,
  type Definitions,
  native,
} from '../../package/define.js'
import {
  toBool,
  toBytes,
  toDuration,
  toFloat,
  toInt,
  toText,
  toTime,
  toUint,
} from '../../value/conversion.js'
import { areEqual } from '../../value/equality.js'
import { FluxError } from '../../value/error.js'
import { displayText } from '../../value/text.js'
import { Duration, type FluxValue } from '../../value/value.js'

/** As large as 64 bits allow: `window(every: inf)` puts everything in one. */
const infinity = new Duration(0n, 2n ** 63n - 1n, false)

const binsMax = 1_000_000n

function conversion(type: string, convert: (value: FluxValue) => FluxValue): Definition {
  return native(`(v: A) => ${type}`, (call) => convert(call.required('v')))
}

export const scalars: Definitions = {
  inf: constant('duration', infinity),
  bool: conversion('bool', toBool),
  bytes: conversion('bytes', toBytes),
  duration: conversion('duration', toDuration),
  float: conversion('float', toFloat),
  int: conversion('int', toInt),
  string: conversion('string', toText),
  time: conversion('time', toTime),
  uint: conversion('uint', toUint),
  display: native('(v: A) => string', (call) => displayText(call.required('v'))),
  contains: native('(value: A, set: [A]) => bool where A: Nullable', contains),
  length: native('(<-arr: [A]) => int', (call) => BigInt(call.array('arr').length)),
  linearBins: native(
    '(start: float, width: float, count: int, ?infinity: bool) => [float]',
    linearBins,
  ),
  logarithmicBins: native(
    '(start: float, factor: float, count: int, ?infinity: bool) => [float]',
    logarithmicBins,
  ),
  die: native('(msg: string) => A', die),
}

function contains(call: Call): FluxValue {
  const value = call.required('value')
  if (value === null) return false
  return call.array('set').some((element) => element !== null && areEqual(element, value))
}

function linearBins(call: Call): FluxValue {
  const start = call.float('start')
  const width = call.float('width')
  return bins(call, (i) => start + i * width)
}

function logarithmicBins(call: Call): FluxValue {
  const start = call.float('start')
  const factor = call.float('factor')
  return bins(call, (i) => start * factor ** i)
}

function bins(call: Call, bound: (i: number) => number): FluxValue {
  const count = call.int('count')
  if (count < 0n || count > binsMax) {
    throw new FluxError(`count must be between 0 and ${binsMax}, got ${count}`)
  }
  const bounds = Array.from({ length: Number(count) }, (_, i) => bound(i))
  return call.bool('infinity', true) ? [...bounds, Infinity] : bounds
}

function die(call: Call): never {
  throw new FluxError(call.string('msg'))
}

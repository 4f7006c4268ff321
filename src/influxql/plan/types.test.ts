// Types of calls whose first argument nobody knows: what mathematical functions give then, and which second argument
// they refuse.

import { expect, it } from 'vitest'
import { parseExpression } from '../syntax/parser.js'
import { typeOf } from './types.js'

it.each([
  ['sqrt(nosuch)', 'float'],
  ['abs(nosuch)', undefined],
  ['abs(i::integer)', 'integer'],
  ['pow(nosuch, f::float)', 'float'],
  ['log(nosuch, s::string)', 'float'],
])('%s', (text, type) => {
  expect(typeOf(parseExpression(text))).toBe(type)
})

it.each([
  ['pow(nosuch, b::boolean)', 'invalid argument type for the second argument in pow(): boolean'],
  ['atan2(nosuch, t::tag)', 'invalid argument type for the second argument in atan2(): string'],
])('%s is refused', (text, message) => {
  expect(() => typeOf(parseExpression(text))).toThrow(message)
})

// Scripts evaluated without a service around them: a small library of their own shows how packages,
// options, functions and their text hang together.

import { describe, expect, test } from 'vitest'
import { StreamNode } from '../node/node.js'
import { constant, native, transformation } from '../package/define.js'
import { Package } from '../package/package.js'
import { parseFlux } from '../syntax/parser.js'
import { FluxError } from '../value/error.js'
import { displayText } from '../value/text.js'
import type { FluxFunction } from '../value/value.js'
import { type FluxValue, Time } from '../value/value.js'
import { ClosureFunction } from './closure-function.js'
import { Library } from './package-instance.js'
import { Run } from './run.js'
import { Script } from './script.js'

const stream = 'stream[A] where A: Record'
const packages: readonly Package[] = [
  new Package(
    'universe',
    {
      true: constant('bool', true),
      false: constant('bool', false),
      _moment: native('() => time', () => new Time(5n)),
      later: native('(v: A) => A', async (call) => call.required('v')),
      failing: native('() => A', () => Promise.reject(new FluxError('no'))),
      source: native(`() => ${stream}`, (call) => call.node([], async function* () {})),
      step: transformation(`(<-tables: stream[A]) => ${stream}`, () => (input) => input),
      sink: transformation(`(<-tables: stream[A]) => ${stream}`, () => (input) => input, true),
    },
    `
      import "tools"
      option now = _moment
      twoSteps = (tables=<-) => tables |> step() |> step()
      _own = 7
      own = () => _own + tools.base
    `,
  ),
  new Package(
    'tools',
    { base: constant('int', 100n) },
    `
      option unit = "m"
      hidden = "h"
      withUnit = (v) => "\${v}\${unit}"
      later = (v=now()) => v
    `,
  ),
]

const library = new Library((path) => packages.find((definition) => definition.path === path))

function newRun(): Run {
  const scope = {
    limits: { timeoutSeconds: 0, pointsMax: 0, memoryBytesMax: 0, stepsMax: 10_000 },
    clock: { now: () => 0n },
  }
  return new Run(scope as unknown as Run['scope'], new AbortController().signal, library)
}

async function evaluate(text: string, run = newRun()): Promise<ReadonlyMap<string, FluxValue>> {
  return new Script([parseFlux(text)], library).evaluate(run)
}

async function shown(text: string): Promise<string> {
  return displayText((await evaluate(text)).get('x')!)
}

describe('packages', () => {
  test('their text sees their own names, those of the prelude and what they import', async () => {
    expect(await shown('x = own()')).toBe('107')
    expect(await shown('import "tools" x = tools.later()')).toBe(displayText(new Time(5n)))
  })

  test('an option that is set changes what their functions see', async () => {
    expect(await shown('import "tools" x = tools.withUnit(v: 1)')).toBe('1m')
    expect(await shown('import "tools" option tools.unit = "km" x = tools.withUnit(v: 1)')).toBe(
      '1km',
    )
    expect(await shown('import t "tools" option t.unit = "km" x = t.unit')).toBe('km')
  })

  test('the moment of the query is what the option says', async () => {
    const run = newRun()
    expect(await run.now()).toBe(5n)
    await evaluate('option now = () => 2020-01-01T00:00:00Z', run)
    expect(await run.now()).toBe(1_577_836_800_000_000_000n)
    expect(run.option('tools', 'unit')).toBe('m')
    expect(run.option('nowhere', 'unit')).toBeUndefined()
  })

  test('only options can be set', async () => {
    await expect(evaluate('import "tools" option tools.hidden = "x"')).rejects.toThrow(
      'package tools has no option hidden',
    )
    await expect(evaluate('r = {a: 1} option r.a = 2')).rejects.toThrow(
      'cannot set option "a" on non-package value',
    )
  })

  test('the script’s own names hide those of the prelude', async () => {
    expect(await shown('own = 1 x = own')).toBe('1')
    expect(await shown('f = () => own() own = 1 x = f()')).toBe('107')
  })
})

describe('calls that the checker of types did not see', () => {
  const refusals: readonly (readonly [string, string])[] = [
    ['f = (a) => a x = f()', 'missing required keyword argument "a"'],
    ['f = (a) => a x = f(a: 1, b: 2, c: 3)', 'unused arguments [b c]'],
    ['x = later()', 'missing required keyword argument "v"'],
    ['x = later(v: 1, w: 2)', 'unused arguments [w]'],
    [
      'f = (a) => a x = 1 |> f()',
      'pipe parameter value provided to function with no pipe parameter defined',
    ],
    [
      'f = (a=<-) => a x = 1 |> f(a: 2)',
      'pipe argument also specified as a keyword parameter: "a"',
    ],
    ['x = 1()', 'cannot call function: 1:5-1:6: value is of type int'],
    ['x = (1).a', 'cannot access property "a" on value of type int'],
    ['x = "a"[0]', 'cannot index into a value of type string; expected an array'],
    ['x = [1]["a" + "b"]', 'cannot index into an array with value of type string; expected an int'],
    ['x = if 1 then 2 else 3', 'conditional test expression is not a boolean value'],
    ['x = 1 and true', 'left operand to logical expression is not a boolean value, got int'],
    ['x = true and 1', 'right operand to logical expression is not a boolean value'],
    [
      'r = 1 x = {r with a: 1}',
      'value on left hand side of "with" in record literal has type int; expected record',
    ],
    ['f = () => y x = 1', 'undefined identifier y'],
    ['x = {a: 1, a: 2}', 'duplicate key in object: "a"'],
    ['x = later(v: 1, v: 2)', 'duplicate keyword parameter specified: "v"'],
    ['import "nowhere"', 'invalid import path nowhere'],
  ]
  test.each(refusals)('%s', async (script, message) => {
    await expect(evaluate(script)).rejects.toThrow(message)
  })
})

describe('functions as values', () => {
  test('show their text and what they captured', async () => {
    const names = await evaluate(
      'import "tools" a = 1 outer = (b) => { c = 3 return (r) => r.v == a + b + c } f = outer(b: 2)',
    )
    const f = names.get('f') as ClosureFunction
    expect(f).toBeInstanceOf(ClosureFunction)
    expect(f.node.type).toBe('FunctionExpression')
    expect(['a', 'b', 'c'].map((name) => f.lookup(name))).toEqual([1n, 2n, 3n])
    expect(f.lookup('true')).toBe(true)
    expect(f.lookup('r')).toBeUndefined()
    expect(f.lookup('nowhere')).toBeUndefined()
    expect(f.parameters).toEqual([{ name: 'r', kind: 'required' }])
  })

  test('prepared once, called many times', async () => {
    const names = await evaluate('n = 10 f = (r, k=5) => { a = r + n return a + k }')
    const call = (names.get('f') as FluxFunction).prepare(['r'])
    expect([1n, 2n, 3n].map((v) => call([v]))).toEqual([16n, 17n, 18n])
    expect(() => (names.get('f') as FluxFunction).prepare(['q'])).toThrow(
      'missing required keyword argument "r"',
    )
  })

  test('functions made in a prepared call keep their own values', async () => {
    const names = await evaluate('f = (r) => () => r')
    const call = (names.get('f') as FluxFunction).prepare(['r'])
    const made = [1n, 2n].map((v) => call([v]) as FluxFunction)
    expect(made.map((fn) => fn.call(new Map()))).toEqual([1n, 2n])
  })

  test('calls that wait do not get into each other’s way', async () => {
    const names = await evaluate('f = (r) => { a = later(v: r) return later(v: a) + r }')
    const call = (names.get('f') as FluxFunction).prepare(['r'])
    expect(await Promise.all([1n, 2n, 3n].map((v) => call([v])))).toEqual([2n, 4n, 6n])
  })
})

test('what waits is waited for, also when something behind it fails', async () => {
  const fails: unknown[] = []
  const note = (reason: unknown) => fails.push(reason)
  process.on('unhandledRejection', note)
  for (const script of [
    'x = failing().f(v: [1][2])',
    'x = [failing()][[1][2]]',
    'x = failing()[[1][2]]',
  ]) {
    await expect(evaluate(script)).rejects.toThrow()
  }
  await new Promise((resolve) => setTimeout(resolve, 5))
  process.off('unhandledRejection', note)
  expect(fails).toEqual([])
})

describe('streams', () => {
  test('are noted where they stand alone or a function is called for its effect', async () => {
    const run = newRun()
    await evaluate('a = source() |> sink() b = source() |> step() b', run)
    expect(run.sideEffects.map(({ node, isCall }) => [node.operation, isCall])).toEqual([
      ['universe.sink', true],
      ['universe.step', false],
    ])
  })

  test('know the call of the script that made them', async () => {
    const names = await evaluate('s = source() |> twoSteps()')
    const node = names.get('s') as StreamNode
    expect(node).toBeInstanceOf(StreamNode)
    expect(node.operation).toBe('universe.step')
    expect(node.location).toEqual({
      start: { line: 1, column: 17 },
      end: { line: 1, column: 27 },
      functionName: 'twoSteps',
    })
  })
})

// Every function of the table can be made for every type that it takes, and has its cases in the corpus: an entry
// alone is not enough.

import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { reducerOf, transformOf } from '../../../test/influxql/point-table.js'
import { type FunctionName, findFunction, functions } from './functions.js'
import { evaluateMathLiteral } from './math.js'

const names = Object.keys(functions) as FunctionName[]
const corpus = new URL('../../../test/corpus/influxql/query/', import.meta.url)

it.each(names)('%s', (name) => {
  const spec = findFunction(name)!
  if (spec.kind === 'math') {
    const values = [1, 2].slice(0, spec.argumentCounts[1])
    expect(evaluateMathLiteral(spec, values)).toBeTypeOf('number')
    return
  }
  for (const type of spec.takes) {
    if (spec.work === 'reduce') expect(reducerOf(name, [type], { args: '3' })).toBeDefined()
    else if (spec.kind === 'transform') {
      const args = spec.argumentCounts[0] === 1 ? '1s' : '3, 0'
      expect(transformOf(name, type, { args, intervalNs: 1n })).toBeDefined()
    }
  }
})

it('each has cases in the corpus', () => {
  const texts = readdirSync(corpus).map((file) => readFileSync(new URL(file, corpus), 'utf8'))
  const called = new Set(
    texts
      .join('\n')
      .toLowerCase()
      .match(/\b\w+(?=\()/g),
  )
  expect(names.filter((name) => !called.has(name))).toEqual([])
})

it('nothing else is a function', () => {
  expect(findFunction('nosuch')).toBeUndefined()
  expect(findFunction('constructor')).toBeUndefined()
})

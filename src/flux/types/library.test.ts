// The types of packages, first of all those of the real library: every signature can be read, and every
// text fits the signatures it uses.

import { describe, expect, test } from 'vitest'
import { testLibrary } from '../../../test/flux/test-library.js'
import { Package } from '../package/package.js'
import { packageOf, packagePaths } from '../stdlib/packages.js'
import { TypeLibrary } from './library.js'
import { problemText } from './problem.js'
import { schemeText } from './type-text.js'

describe('the packages of the library', () => {
  const library = new TypeLibrary(packageOf)

  test.each(packagePaths())('%s has types without mistakes', (path) => {
    expect(library.package(path)?.problems().map(problemText)).toEqual([])
  })
})

describe('a library', () => {
  test('knows packages by path, and gives what they offer one by one or together', () => {
    const units = testLibrary.package('path/to/units')
    expect(units?.names()).toEqual(['convert', 'factors'])
    expect(units?.isOption('factors')).toBe(true)
    expect(units?.isOption('convert')).toBe(false)
    expect(units?.typeOf('nothing')).toBeUndefined()
    const record = units?.record()
    expect(record && schemeText(record)).toBe(
      '{convert: (v: A, ?by: A) => A, factors: [float]} where A: Divisible',
    )
    expect(testLibrary.importPackage('units')).toBe('invalid import path units')
  })

  test('tells what is wrong with a definition, and still gives types', () => {
    const broken = new TypeLibrary((path) =>
      path === 'broken'
        ? new Package(
            path,
            {
              a: { kind: 'value', type: '(v: ', value: null },
              b: { kind: 'value', type: '(v: number) => A where A: Big', value: null },
            },
            'import "nowhere"\nc = 1 + "a"\nd = b(v: 1)',
          )
        : undefined,
    )
    const types = broken.package('broken')
    const problems = types?.problems().map(problemText) ?? []
    expect(problems.filter((problem) => problem.includes(' a: '))).toHaveLength(1)
    expect(problems).toContain('error @1:5-1:11: b: invalid named type number')
    expect(problems).toContain('error @1:27-1:30: b: invalid constraint Big')
    expect(problems).toContain('error broken@1:1-1:17: invalid import path nowhere')
    expect(problems).toContain('error broken@2:9-2:12: expected int but found string')
    const d = types?.typeOf('d')
    expect(d && schemeText(d)).toBe('A')
  })
})

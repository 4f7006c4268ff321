// Query strings are read as browsers and clients write them, and bad ones as they stand: nothing in a URL fails, and no
// name in it means more than a name.

import { describe, expect, it } from 'vitest'
import { readSearch } from './search.js'

describe('what stands behind the question mark', () => {
  it.each([
    ['db=a&q=select%20max(v)+from+%22m%22', { db: 'a', q: 'select max(v) from "m"' }],
    ['q=%E2%82%AC%2B&%71=second', { q: '€+' }],
    ['a=1=2&b&=c&&d=', { a: '1=2', b: '', '': 'c', d: '' }],
    ['a=50%&b=%zz+1&c=%ff', { a: '50%', b: '%zz 1', c: '%ff' }],
    ['__proto__=x&constructor=y', { ['__proto__']: 'x', constructor: 'y' }],
    ['', {}],
  ])('%s', (search, expected) => {
    expect(Object.entries(readSearch(search))).toEqual(Object.entries(expected))
  })

  it('has nothing that was not given', () => {
    expect(readSearch('a=1').constructor).toBeUndefined()
  })
})

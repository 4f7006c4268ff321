// Templates as texts: how many values they may bring, one by one and together. What they say is in
// test/api/templates.test.ts.

import { expect, test } from 'vitest'
import { UserError } from '../../errors.js'
import { templateContents } from './template-text.js'

const lists = (count: number) => ({ contents: `[${'[],'.repeat(count - 1)}[]]` })

test('texts of JSON are bounded by their values, each and together, before they are parsed', () => {
  expect(templateContents([lists(20_000), lists(20_000)])).toHaveLength(40_000)
  expect(() => templateContents([lists(100_000)])).toThrow('at most 100000 JSON values')
  const together = () => templateContents(Array.from({ length: 3 }, () => lists(20_000)))
  expect(together).toThrow(UserError)
  expect(together).toThrow(/^template\[2\] .* more than 100000 JSON values in all$/)
})

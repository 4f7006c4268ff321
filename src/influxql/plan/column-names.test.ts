// Names of columns: from fields, calls and expressions, with a number where a name is taken. Aliases
// are never changed.

import { expect, test } from 'vitest'
import type { Select } from '../syntax/ast.js'
import { parseStatement } from '../syntax/parser.js'
import { columnNames } from './column-names.js'

test.each([
  ['f', 'f'],
  ['"a b"', 'a b'],
  ['mean(f)', 'mean'],
  ['derivative(mean(f), 1s)', 'derivative'],
  ['f + g', 'f_g'],
  ['f + g * f', 'f_g_f'],
  ['mean(f) * 2', 'mean'],
  ['mean(f) + max(g)', 'mean_max'],
  ['(f)', 'f'],
  ['1 + f', 'f'],
  ['f AS x', 'x'],
  ['f + g AS x', 'x'],
  ['f, f, f', 'f f_1 f_2'],
  ['f AS f, f', 'f f_1'],
  ['f, g AS f', 'f_1 f'],
  ['f AS x, g AS x', 'x x'],
  ['f, f AS f_1, f', 'f f_1 f_2'],
  ['f_1, f, f', 'f_1 f f_2'],
  ['mean(f), mean(g), max(f)', 'mean mean_1 max'],
])('%s', (fields, expected) => {
  const select = parseStatement(`SELECT ${fields} FROM m`) as Select
  expect(columnNames(select.fields, 'time').join(' ')).toBe(`time ${expected}`)
})

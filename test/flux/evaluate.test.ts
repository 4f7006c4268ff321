// What comes along with a script, and whose mistake it is when one fails. What scripts evaluate to is shown in
// corpus/flux/language.

import { expect, test } from 'vitest'
import { UserError } from '../../src/errors.js'
import { parseFlux } from '../../src/flux/syntax/parser.js'
import { type RunOptions, runFlux, runRows } from './run-flux.js'

/** The value of `x` at the end of the script, as `display` shows it. */
async function shown(script: string, options: RunOptions = {}): Promise<unknown> {
  const imports = script.match(/^(import "[^"]*"\s*)*/)![0]
  const rest = script.slice(imports.length)
  const text = `${imports}\nimport "array"\n${rest}\narray.from(rows: [{x: display(v: x)}])`
  const [row] = await runRows(text, options)
  return row.x
}

test('params', async () => {
  const params = new Map<string, unknown>([
    ['s', 'text'],
    ['n', 3n],
    ['f', 1.5],
    ['b', true],
    ['list', [1n, 2n]],
    ['deep', new Map([['a', new Map([['b', -4n]])]])],
  ])
  const script =
    'x = [string(v: params.n), string(v: params.f), params.s, string(v: params.deep.a.b)]'
  expect(await shown(script, { params })).toBe('[\n    3,\n    1.5,\n    text,\n    -4\n]')
  expect(await shown('x = params.b and params.list == [1, 2]', { params })).toBe('true')
})

test('extern statements stand before the script', async () => {
  const extern = parseFlux(
    'import "strings"\noption v = {start: -1h}\nshout = (s) => strings.toUpper(v: s)',
  )
  expect(await shown('x = shout(s: string(v: v.start))', { extern })).toBe('-1H')
})

test('whatever is wrong with the script is the mistake of whoever asks', async () => {
  await expect(runFlux('x = int(v: "a")')).rejects.toMatchObject({ code: 'invalid', status: 400 })
  await expect(runFlux('x = [1][5]')).rejects.toBeInstanceOf(UserError)
})

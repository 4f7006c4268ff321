// Rows of CSV as line protocol: roles are guessed, everything that line protocol takes for a sign of its own is
// quoted, and what cannot be a point is told by its row.

import { expect, it } from 'vitest'
import { guessColumns, readCsv, timeOf, toLines } from '../../ui/src/data/csv-lines.js'
import { guessPrecision, lineCount } from '../../ui/src/data/line-text.js'

it('guesses what columns are and writes their rows', () => {
  const csv = readCsv(
    'time,host name,load,note\n1767225600,"a, b",1.5,"say ""hi"""\nnever,c,2,x\n1767225601,d,,y\n',
  )
  const columns = guessColumns(csv)
  expect(columns.map(({ role }) => role)).toEqual(['time', 'tag', 'field', 'tag'])
  const chosen = columns.map((column, i) => ({
    ...column,
    role: (['time', 'tag', 'field', 'field'] as const)[i],
  }))
  const { lines, refused } = toLines(csv, chosen, 'my m')
  expect(lines).toEqual([
    'my\\ m,host\\ name=a\\,\\ b load=1.5,note="say \\"hi\\"" 1767225600000',
    'my\\ m,host\\ name=d note="y" 1767225601000',
  ])
  expect(refused).toEqual([{ row: 3, reason: '"never" is no time' }])
})

it('takes times in every usual form', () => {
  for (const text of [
    '1767225600',
    '1767225600000',
    '1767225600000000',
    '1767225600000000000',
    '2026-01-01T00:00:00Z',
  ]) {
    expect(timeOf(text), text).toBe(1_767_225_600_000)
  }
  expect(timeOf('yesterday')).toBeUndefined()
  expect(guessPrecision('m v=1 1767225600')).toBe('s')
  expect(guessPrecision('m v=1')).toBe('ns')
  expect(lineCount('# a comment\n\nm v=1\n m v=2')).toBe(2)
})

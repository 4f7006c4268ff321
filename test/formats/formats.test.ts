// Files of every text format as points, from cases written as text. Every file is read whole, and byte by byte: where
// pieces end must not matter.

import { expect, it } from 'vitest'
import { pointBatches, type TextFormat } from '../../src/formats/point-batches.js'
import { columnWord, type FormatOptions } from '../../src/formats/points/point-column.js'
import { typedRows } from '../../src/formats/typed-rows.js'
import type { Precision } from '../../src/line-protocol/parser.js'
import { type DataDrivenCase, dataDrivenFiles, runDataDriven } from '../datadriven.js'

const folder = new URL('../corpus/formats', import.meta.url).pathname

async function* pieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

async function read(format: string, options: FormatOptions, bytes: Uint8Array, length: number) {
  let columns = ''
  let lines = ''
  const refused: string[] = []
  const told = {
    ...options,
    onColumns: (found: Parameters<NonNullable<FormatOptions['onColumns']>>[0]) => {
      columns += `columns: ${found.map((column) => `${column.name}=${columnWord(column)}`).join(' ')}\n`
    },
  }
  const chunks = pieces(bytes, length)
  const batches =
    format === 'rows'
      ? typedRows(chunks, told, 100)
      : pointBatches(chunks, format as TextFormat, told)
  try {
    for await (const batch of batches) {
      const text = Buffer.from(batch.bytes).toString()
      let at = 0
      lines += text.replace(/^.*$/gm, (line) => {
        at++
        return line === '' ? '' : `${batch.rowOf(at)}: ${line}`
      })
      refused.push(...batch.refused.map(({ row, reason }) => `${row}! ${reason}`))
    }
  } catch (error) {
    return `${columns}error: ${(error as Error).message}`
  }
  return `${columns}${lines}${refused.join('\n')}`.trimEnd()
}

async function run({ command, args, input }: DataDrivenCase): Promise<string> {
  const columns = Object.fromEntries(
    (args.get('columns') ?? []).map((one) => {
      const equals = one.indexOf('=')
      return [one.slice(0, equals), one.slice(equals + 1)]
    }),
  )
  const options: FormatOptions = {
    measurement: args.get('measurement')?.[0],
    precision: args.get('precision')?.[0] as Precision | undefined,
    zone: args.get('zone')?.[0],
    separator: args.get('separator')?.[0],
    columns,
    header: args.get('header')?.[0].split('|'),
    skipHeader: Number(args.get('skip-header')?.[0] ?? 0),
  }
  // A blank line cannot stand in a case.
  const text = input.replaceAll('<blank>', '').replaceAll('<cr>', '\r')
  const bytes = Buffer.from(`${text}${command === 'rows' ? '\n' : ''}`)
  const whole = await read(command, options, bytes, bytes.length)
  expect(await read(command, options, bytes, 1)).toBe(whole)
  return whole
}

it.each(dataDrivenFiles(folder))('%s', (path) => runDataDriven(path, run))

/** How many pieces were asked for when the first points came. */
async function piecesBeforePoints(format: TextFormat, first: string, piece: string) {
  let count = 0
  async function* endless() {
    yield Buffer.from(first)
    for (; count < 1000; count++) yield Buffer.from(piece)
  }
  const batches = pointBatches(endless(), format, { measurement: 'm' })
  await batches.next()
  await batches.return?.(undefined)
  return count
}

it('guesses from the rows that there are, where they are long', async () => {
  const long = 'x'.repeat(500_000)
  const csv = await piecesBeforePoints('csv', 'time,a,b\n', `1,2,${long}\n`)
  const json = await piecesBeforePoints('jsonl', '', `{"time":1,"a":2,"b":"${long}"}\n`)
  expect(csv).toBeLessThan(100)
  expect(json).toBeLessThan(100)
})

it.each<[string, TextFormat, string, string]>([
  ['cells', 'csv', `time,${','.repeat(20_000)}\n`, 'line 1: more than 20000 cells'],
  ['quoted cells', 'csv', `"time"${',""'.repeat(20_000)}\n`, 'line 1: more than 20000 cells'],
  ['a record', 'csv', `"${'x'.repeat(2_100_000)}`, 'a record of more than 2000000 characters'],
  ['a line', 'jsonl', `{"a":"${'x'.repeat(2_100_000)}`, 'line 1: too long'],
  ['values', 'jsonl', `{"a":[${'[],'.repeat(100_000)}[]]}\n`, 'at most 100000 JSON values'],
])('refuses too much of it: %s', async (_, format, text, message) => {
  const read = async () => {
    for await (const _batch of pointBatches(pieces(Buffer.from(text), 65_536), format, {}));
  }
  await expect(read()).rejects.toThrow(message)
})

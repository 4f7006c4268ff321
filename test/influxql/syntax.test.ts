// The corpus of InfluxQL's syntax: what a text is printed as once it is parsed, its tree, or the
// error, whose words and places were compared with InfluxDB 1.6.7. What is printed must be readable
// again and print the same.

import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { UserError } from '../../src/errors.js'
import type { Statement } from '../../src/influxql/syntax/ast.js'
import { parseQuery } from '../../src/influxql/syntax/parser.js'
import { printStatement } from '../../src/influxql/syntax/printer.js'
import { parseParameters } from '../../src/query/parameters.js'
import { type DataDrivenCase, dataDrivenFiles, runDataDriven } from '../datadriven.js'

const files = dataDrivenFiles(fileURLToPath(new URL('../corpus/influxql/syntax', import.meta.url)))

test('there is a corpus', () => {
  expect(files.length).toBeGreaterThan(6)
})

test.each(files.map((path) => [path.replace(/^.*\//, ''), path]))('%s', async (_, path) => {
  await runDataDriven(path, runSyntaxCommand)
})

function runSyntaxCommand(c: DataDrivenCase): string {
  let statements: Statement[]
  try {
    const [params] = c.args.get('params') ?? []
    statements = parseQuery(c.input, params === undefined ? new Map() : parseParameters(params))
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return error.message
  }
  switch (c.command) {
    case 'parse': {
      const printed = statements.map(printStatement)
      expectFixpoint(printed)
      return statements.length === 0 ? 'nothing' : printed.join('\n')
    }
    case 'tree':
      return statements.map(printTree).join('\n')
    default:
      throw new Error(`unknown command ${c.command}`)
  }
}

function expectFixpoint(printed: readonly string[]): void {
  for (const text of printed) {
    if (text.includes('[REDACTED]')) continue
    expect(parseQuery(text).map(printStatement)).toEqual([text])
  }
}

/** JSON without quotes around keys and without what was not written; places as line:char, counted from 1. */
function printTree(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`
  if (Array.isArray(value)) return `[${value.map(printTree).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const written = Object.entries(value).filter(([, part]) => part !== undefined)
  const entries = written.map(([key, part]) => {
    return key === 'at' ? `@${part.line + 1}:${part.char + 1}` : `${key}: ${printTree(part)}`
  })
  return `{${entries.join(', ')}}`
}

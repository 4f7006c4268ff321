// Statements besides SELECT over real HTTP, as text: what the files of corpus/statements expect is what InfluxDB 1.6.7
// answers to the same statements on the same data, except where a comment says otherwise, and where newer InfluxDB
// answers otherwise (docs/influxql.md lists what).

import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type DataDrivenCase, dataDrivenFiles, runDataDriven } from '../datadriven.js'
import { type Installation, install, send } from './harness.js'

const files = dataDrivenFiles(fileURLToPath(new URL('../corpus/statements', import.meta.url)))

test('there is a corpus', () => {
  expect(files.length).toBeGreaterThan(10)
})

test.each(files.map((path) => [path.replace(/^.*\//, ''), path]))('%s', async (_, path) => {
  const here = await install()
  await runDataDriven(path, (c) => run(here, c))
})

function run(here: Installation, c: DataDrivenCase): Promise<string> {
  switch (c.command) {
    case 'query':
      return query(here, c)
    case 'write':
      return write(here, c)
    default:
      throw new Error(`no such command: ${c.command}`)
  }
}

async function write(here: Installation, { args, input }: DataDrivenCase): Promise<string> {
  const target = new URLSearchParams({
    db: args.get('db')?.[0] ?? '',
    rp: args.get('rp')?.[0] ?? '',
  })
  const answer = await here.writeV1(input, { query: `?${target}` })
  return answer.status === 204 ? '' : `error: ${answer.json.error}`
}

/** One line per table, of all statements together; an error is a line of its own. */
async function query(here: Installation, { args, input }: DataDrivenCase): Promise<string> {
  const db = args.get('db')?.[0]
  const target = new URLSearchParams(db === undefined ? {} : { db })
  const answer = await send(`${here.url}/query?${target}`, {
    method: 'POST',
    token: here.token,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `${new URLSearchParams({ q: input })}`,
  })
  if (answer.json.error !== undefined) return `error: ${answer.json.error}`
  return answer.json.results.flatMap(resultLines).join('\n')
}

interface Result {
  readonly error?: string
  readonly series?: readonly { readonly name?: string }[]
}

/** What set-up made, and the numbers of shards, differ from server to server. */
function resultLines({ error, series = [] }: Result): string[] {
  if (error !== undefined) return [`error: ${error.replace(/^shard \d+:/, 'shard N:')}`]
  const shown = series.filter(({ name }) => !['_tasks', '_monitoring', 'b'].includes(name ?? ''))
  return shown.map((table) => JSON.stringify(table))
}

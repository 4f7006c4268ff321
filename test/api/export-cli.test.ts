// `export` of every format, from a folder and from a running server, and back through `import`: the same points.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { lineValues } from '../migrate/line-values.js'
import { type Installation, install, send, temporaryFolder } from './harness.js'
import { finish, run } from './program.js'

const dayNs = 86_400_000_000_000n
const start = 1_577_836_800_000_000_000n

/** Every type, awkward names, over three days. */
function lines(): string {
  const all: string[] = []
  for (let i = 0; i < 3000; i++) {
    const time = start + (BigInt(i) * 3n * dayNs) / 3000n + BigInt(i)
    const tags = i % 3 === 0 ? '' : `,host=a\\ ${i % 7},a|b\\,c="q${i % 2}"`
    const fields = [`f=${i / 8},i=${i}i`, `u=${18446744073709551000n + BigInt(i % 600)}u`]
    if (i % 2 === 0) fields.push(`s="text, \\"${i}\\"\nline",big=${9007199254740993n + BigInt(i)}i`)
    if (i % 5 === 0) fields.push(`b=${i % 10 === 0},two\\ words=-0`)
    all.push(`${i % 4 === 0 ? 'other/m\\ x' : 'm'}${tags} ${fields.join(',')} ${time}`)
  }
  return all.join('\n')
}

async function valuesOf(installed: Installation, bucket: string) {
  const { url, token, orgId } = installed
  const query = `orgID=${orgId}&bucket=${bucket}`
  return lineValues((await send(`${url}/debug/export?${query}`, { token })).text)
}

/** All files below a folder, sorted. */
function files(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => /\.(lp|csv|parquet|gz)$/.test(name)).sort()
}

it('goes out of a server and in again, point by point', async () => {
  const folder = temporaryFolder()
  const installed = await install({ dataDir: `${folder}/data` })
  const { url, token, orgId, server } = installed
  const expected = lineValues(lines())
  expect((await installed.write(lines())).status).toBe(204)
  const environment = { MILLRACE_HOST: url, MILLRACE_TOKEN: token }
  const call = (...args: string[]) => finish(run(args, environment))

  const formats = [['csv', '--compress', 'gzip'], ['parquet'], ['lp', '--by-day']]
  for (const [format, ...flags] of formats) {
    const out = `${folder}/${format}`
    const args = [
      'export',
      '--host',
      url,
      '--bucket',
      'b',
      '--out',
      out,
      '--format',
      format,
      ...flags,
    ]
    const exported = await call(...args)
    expect([exported.code, exported.errors]).toEqual([0, ''])
    expect(exported.output).toMatch(/^3000 points in [23] files\n$/)
    const again = await call(...args)
    expect(again.output).toMatch(/^0 points in 0 files, [23] were there already\n$/)

    const body = JSON.stringify({ orgID: orgId, name: format, retentionRules: [] })
    await send(`${url}/api/v2/buckets`, { method: 'POST', token, body })
    const paths = files(out).map((name) => `${out}/${name}`)
    const imported = await call('import', ...paths, '--bucket', format)
    expect(imported.output).toMatch(/^3000 points in .* s, 0 refused\n$/)
    expect(await valuesOf(installed, format)).toEqual(expected)
  }
  expect(files(`${folder}/csv`)).toEqual(['b/m.csv.gz', 'b/other%2Fm%20x.csv.gz'])
  expect(files(`${folder}/lp`)[0]).toBe('b/points.2020-01-01.lp')
  expect(gunzipSync(readFileSync(`${folder}/csv/b/m.csv.gz`)).toString()).toMatch(/^#datatype /)

  // What is missing is written, and nothing else.
  rmSync(`${folder}/lp/b/points.2020-01-02.lp`)
  writeFileSync(`${folder}/lp/b/points.2020-01-01.lp`, 'kept')
  const rest = await call('export', '--out', `${folder}/lp`, '--by-day', '--bucket', 'b', '--json')
  expect(JSON.parse(rest.output)).toEqual({ points: 1000, filesWritten: 1, filesPresent: 2 })
  expect(readFileSync(`${folder}/lp/b/points.2020-01-01.lp`, 'utf8')).toBe('kept')

  await server.close()
  const printed = await call(
    'export',
    '--data-dir',
    `${folder}/data`,
    '--bucket',
    'b',
    '--format',
    'influx',
  )
  expect(printed.output).toContain('CREATE DATABASE "b" WITH NAME "autogen"\n')
  expect(printed.output).toContain('# CONTEXT-RETENTION-POLICY:autogen\n')
  expect(lineValues(printed.output.replace(/^(#|CREATE).*\n/gm, ''))).toEqual(expected)
  const some = await call(
    ...['export', '--data-dir', `${folder}/data`, '--bucket', 'b', '--measurement', 'm'],
    ...['--start', String(start), '--stop', String(start + 1n)],
  )
  expect(some.output).toBe('')
})

it.each([
  [['export', '--bucket', 'x', '--json'], 'flag --json needs --out'],
  [['export', '--out', 'x', '--format', 'xml'], 'flag --format: "xml" is not one of'],
  [['export', '--data-dir', '/'], 'flag --bucket is required, or --out for all of them'],
  [['export', '--bucket', 'b', '--format', 'parquet'], 'needs --out: a folder for the files'],
  [['export', '--bucket', 'b', '--data-dir', '/nowhere'], 'there is no folder "/nowhere"'],
])('%j is called wrongly', async (args, message) => {
  const { code, errors } = await finish(run(args))
  expect([code, errors]).toEqual([2, expect.stringContaining(message)])
})

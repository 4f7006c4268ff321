// The commands as the shell calls them: a backup of a running server into a folder and through a pipe, looked at,
// verified, restored into a new folder that is served, and one bucket of it into the running server.

import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { install, installation, send, start, temporaryFolder } from '../api/harness.js'
import { finish, run } from '../api/program.js'

test('a backup goes out and comes back by the commands', async () => {
  const one = await install({ dataDir: temporaryFolder() })
  const lines = Array.from({ length: 500 }, (_, i) => `m,t=a\\ b f=${i},s="x, ${i}" ${i}`)
  await one.write(lines.join('\n'))
  const folder = temporaryFolder()
  const call = (...args: string[]) =>
    finish(run(args, { MILLRACE_HOST: one.url, MILLRACE_TOKEN: one.token }))
  const taken = await call('backup', folder)
  expect([taken.code, taken.errors]).toEqual([0, ''])
  const name = taken.output.split(':')[0]
  expect((await call('backup', 'list', folder)).output).toMatch(
    new RegExp(`^${name} .* whole$`, 'm'),
  )
  expect((await call('backup', 'verify', folder)).code).toBe(0)

  const restored = `${temporaryFolder()}/data`
  const put = await call('restore', folder, '--data-dir', restored, '--json')
  expect([put.code, put.errors]).toEqual([0, ''])
  expect(JSON.parse(put.output)).toMatchObject({ dataDir: restored, backup: name })
  const copy = await start({ dataDir: restored })
  const expected = await one.lines()
  expect(await installation(copy, one.token, one.orgId, one.bucketId).lines()).toEqual(expected)

  const some = await call('backup', folder, '--bucket', 'b', '--json')
  expect([some.code, JSON.parse(some.output).kept]).toEqual([0, 0])
  expect((await call('backup', 'list', folder)).output).toMatch(/ only b .* whole$/m)
  const bucket = await call('restore', folder, '--bucket', 'b', '--as', 'b2')
  expect([bucket.code, bucket.output]).toEqual([0, 'b2: 500 lines written\n'])
  const script = 'from(bucket: "b2") |> range(start: 0) |> count() |> keep(columns: ["_value"])'
  const flux = await call('query', script, '--language', 'flux', '--format', 'json')
  expect([flux.code, flux.errors]).toEqual([0, ''])
  expect(JSON.parse(flux.output)).toEqual([
    { result: '_result', table: 0, _value: 500 },
    { result: '_result', table: 0, _value: 500 },
  ])
  const exported = await send(`${one.url}/debug/export?org=o&bucket=b2`, { token: one.token })
  expect(exported.text.trimEnd().split('\n').sort()).toEqual(expected)
  const twice = await call('restore', folder, '--bucket', 'b', '--as', 'b2')
  expect([twice.code, twice.errors]).toEqual([
    1,
    'millrace: bucket "b2" exists: name another with --as, or --into\n',
  ])

  writeFileSync(`${folder}/${name}/catalog.sqlite`, 'other bytes')
  const bad = await call('backup', 'verify', folder, name)
  expect([bad.code, bad.output]).toEqual([3, expect.stringContaining('is not what was written')])
  expect((await call('backup')).code).toBe(2)
}, 240_000)

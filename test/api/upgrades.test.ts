// Data folders as released versions have left them, catalog and store together: each opens for ever, with everything
// that was in it. A fixture is made once, by the program of its time, and never again: files by name, in base64 and
// packed. And a folder that a later program has written is refused in words, not read as far as it goes.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { connect } from '../../src/platform/sqlite.js'
import { send, start, temporaryFolder } from './harness.js'

const fixtures = new URL('../corpus/folders/', import.meta.url).pathname
const token = 'upgrade-token'

function unpack(name: string): string {
  const folder = temporaryFolder()
  const files = JSON.parse(gunzipSync(readFileSync(join(fixtures, name))).toString())
  for (const [path, content] of Object.entries<string>(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), Buffer.from(content, 'base64'))
  }
  return folder
}

it.each(readdirSync(fixtures))('opens what %s holds', async (name) => {
  const dataDir = unpack(name)
  // Opened twice: what the first start makes of it is a folder of today.
  for (let opening = 0; opening < 2; opening++) {
    const server = await start({ dataDir })
    const get = async (path: string) => (await send(`${server.url}${path}`, { token })).json
    const query = (db: string, q: string) => get(`/query?db=${db}&q=${encodeURIComponent(q)}`)
    const [{ series }] = (await query('b', 'SELECT count(f), sum(i), last(s) FROM m')).results
    // Of 50 days three were deleted, and one point came later.
    expect(series[0].values[0].slice(1)).toEqual([48, 1222, 'text 49'])
    expect((await query('old', 'SELECT v FROM x')).results[0].series[0].values).toHaveLength(1)
    expect((await get('/api/v2/dashboards')).dashboards).toMatchObject([{ name: 'd' }])
    expect((await get('/api/v2/tasks')).tasks).toMatchObject([{ name: 't', status: 'inactive' }])
    const basic = Buffer.from('u:long enough').toString('base64')
    const signedIn = await send(`${server.url}/api/v2/signin`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
    })
    expect(signedIn.status).toBe(204)
    await server.close()
  }
})

it('refuses a store of a later version', async () => {
  const dataDir = unpack('0.1.0.json.gz')
  const path = join(dataDir, 'store/MANIFEST')
  const text = readFileSync(path, 'latin1')
  writeFileSync(path, text.replace(/^(\S+) \d+/, '$1 99'), 'latin1')
  await expect(start({ dataDir })).rejects.toThrow(/version 99 is not known here/)
})

it('refuses a catalog of a later version', async () => {
  const dataDir = unpack('0.1.0.json.gz')
  const database = connect(join(dataDir, 'catalog.sqlite'))
  database
    .prepare('INSERT INTO kysely_migration (name, timestamp) VALUES (?, ?)')
    .run(['9999-of-a-later-version', '2099-01-01T00:00:00Z'])
  database.close()
  await expect(start({ dataDir })).rejects.toThrow(
    /the catalog cannot be brought up to date: .*9999-of-a-later-version/,
  )
})

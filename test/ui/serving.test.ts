// How the UI's files are served: only what the manifest names, packed as asked for, for a year; the page with its
// policy at every path that is nobody else's; below a base path; and not at all where nobody wants it.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { ServerOptions } from '../../src/index.js'
import { install, send } from '../api/harness.js'

function uiFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-ui-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'assets'))
  const path = 'assets/main-AB12.js'
  writeFileSync(join(folder, path), 'plain')
  writeFileSync(join(folder, `${path}.br`), 'packed by brotli')
  writeFileSync(join(folder, `${path}.gz`), 'packed by gzip')
  writeFileSync(join(folder, 'assets/secret.js'), 'not in the manifest')
  const type = 'text/javascript; charset=utf-8'
  const files = [{ path, type, encodings: ['br', 'gzip'] }]
  const index = '<base href="{{base}}"><meta content="{{nonce}}">{{preloads}}'
  const pages = {
    managed: { '/': ['first.js'], '/boards': ['list.js'], '/boards/': ['board.js', 'chart.js'] },
    cluster: { '/': ['cluster.js'] },
  }
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ files, index, pages }))
  return folder
}

const start = (options: ServerOptions = {}) => install({ uiFolder: uiFolder(), ...options })
const html = { accept: 'text/html,application/xhtml+xml' }

it('sends the page with a policy of its own at every path of the page', async () => {
  const { url } = await start()
  const first = await send(`${url}/`)
  const second = await send(`${url}/dashboards/0123?x=1`, { headers: html })
  for (const { status, headers, text } of [first, second]) {
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(headers['cache-control']).toBe('no-store')
    const [, nonce] = /<base href="\/"><meta content="(\S+)">/.exec(text) ?? []
    expect(headers['content-security-policy']).toContain(`style-src 'self' 'nonce-${nonce}'`)
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(headers['x-content-type-options']).toBe('nosniff')
  }
  expect(first.text).not.toBe(second.text)
})

it('names the files that a page needs, and those of no other page', async () => {
  const { url } = await start()
  const named = async (path: string) => {
    const { text } = await send(`${url}${path}`, { headers: html })
    return [...text.matchAll(/<link rel="modulepreload" href="([^"]*)" \/>/g)].map(([, to]) => to)
  }
  expect(await named('/')).toEqual(['first.js'])
  expect(await named('/boards?to=/boards/')).toEqual(['list.js'])
  expect(await named('/boards/0123')).toEqual(['board.js', 'chart.js'])
  expect(await named('/nowhere')).toEqual(['first.js'])
})

it('sends the files of the manifest and no others', async () => {
  const { url } = await start()
  const get = (path: string, headers = {}) => send(`${url}${path}`, { headers })
  const path = '/assets/main-AB12.js'
  const plain = await get(path)
  expect([plain.text, plain.headers['content-encoding']]).toEqual(['plain', undefined])
  expect(plain.headers['cache-control']).toContain('immutable')
  expect((await get(path, { 'accept-encoding': 'gzip, br' })).text).toBe('packed by brotli')
  expect((await get(path, { 'accept-encoding': 'gzip, br;q=0' })).text).toBe('packed by gzip')
  expect((await get(path, { 'if-none-match': plain.headers.etag })).status).toBe(304)
  for (const other of [
    '/assets/secret.js',
    '/manifest.json',
    '/assets/../manifest.json',
    '/assets/%2e%2e/manifest.json',
  ]) {
    expect((await get(other)).status, other).toBe(404)
  }
})

it('leaves the paths of the interfaces to them', async () => {
  const { url } = await start()
  const status = async (path: string, headers: Record<string, string> = html, method = 'GET') =>
    (await send(`${url}${path}`, { method, headers })).status
  expect(await status('/api/v2/nothing')).toBe(404)
  expect(await status('/nothing', { accept: 'application/json' })).toBe(404)
  expect(await status('/explore', html, 'POST')).toBe(404)
  expect(await status('/ping')).toBe(204)
  expect(await status('/query')).toBe(401)
  expect(await status('/api/v2/query')).toBe(405)
})

it('lies below a path, and is left out where nobody wants it', async () => {
  const { url, token } = await start({ basePath: '/mill' })
  expect((await send(`${url}/mill`, { headers: html })).text).toContain('<base href="/mill/">')
  expect((await send(`${url}/mill/assets/main-AB12.js`)).text).toBe('plain')
  expect((await send(`${url}/mill/api/v2/me`, { token })).status).toBe(200)
  expect((await send(`${url}/api/v2/me`, { token })).status).toBe(200)
  expect((await send(`${url}/millrace`)).status).toBe(404)
  const without = await start({ noUi: true })
  expect((await send(`${without.url}/`, { headers: html })).status).toBe(404)
})

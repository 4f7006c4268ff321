// Servers in one process: many starts and stops, a folder that is taken, data that is there after a
// restart, requests that finish while the server stops.

import { request as httpRequest } from 'node:http'
import { expect, it } from 'vitest'
import { startServer } from '../../src/index.js'
import { install, installation, send, start, temporaryFolder } from './harness.js'

const activeResources = () =>
  process.getActiveResourcesInfo().filter((name) => name !== 'TTYWrap' && name !== 'PipeWrap')

it('starts and stops twenty times without leaving anything open', async () => {
  const before = activeResources().length
  for (let i = 0; i < 20; i++) {
    const dataDir = i % 2 === 0 ? {} : { dataDir: temporaryFolder() }
    const server = await startServer({ jobs: 'inline', adminToken: 'x', ...dataDir })
    expect((await send(`${server.url}/health`)).status).toBe(200)
    await server.close()
    await server.close()
  }
  // Sockets of the last answers take a turn of the loop to go.
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(activeResources().length).toBeLessThanOrEqual(before + 1)
})

it('runs several side by side', async () => {
  const servers = await Promise.all([install(), install(), install()])
  await servers[0].write('m f=1 1')
  expect(await servers[0].lines()).toHaveLength(1)
  expect(await servers[1].lines()).toHaveLength(0)
  const text = (await send(`${servers[2].url}/metrics`)).text
  expect(text).not.toContain('millrace_write_points_total 1')
})

it('finds everything again after a restart', async () => {
  const dataDir = temporaryFolder()
  const first = await install({ dataDir })
  expect((await first.write('m,t=a f=1 1')).status).toBe(204)
  await first.server.close()
  const server = await start({ dataDir })
  const second = installation(server, first.token, first.orgId, first.bucketId)
  expect(await second.lines()).toEqual(['m,t=a f=1 1'])
  expect((await second.write('m,t=a f=2 2')).status).toBe(204)
  expect(await server.isSetupAllowed()).toBe(false)
})

it('refuses a folder that is taken, and leaves its holder alone', async () => {
  const dataDir = temporaryFolder()
  const { write } = await install({ dataDir })
  await expect(startServer({ dataDir, jobs: 'inline' })).rejects.toThrow(/already open|in use/)
  expect((await write('m f=1 1')).status).toBe(204)
})

it('lets go of the folder when the port is taken', async () => {
  const { server } = await install()
  const dataDir = temporaryFolder()
  const httpAddress = { host: '127.0.0.1', port: server.port }
  await expect(startServer({ dataDir, httpAddress, jobs: 'inline' })).rejects.toThrow(/EADDRINUSE/)
  await start({ dataDir })
})

it('finishes requests under way before it stops', async () => {
  const dataDir = temporaryFolder()
  const { server, token, orgId, bucketId } = await install({ dataDir })
  const body = 'm f=1 1'
  const sent = httpRequest(`${server.url}/api/v2/write?bucket=b`, {
    method: 'POST',
    headers: { authorization: `Token ${token}`, 'content-length': body.length },
  })
  const status = new Promise((resolve, reject) => {
    sent.on('response', (response) => resolve(response.resume().statusCode))
    sent.on('error', reject)
  })
  await new Promise((resolve) => sent.write(body.slice(0, 3), resolve))
  await new Promise((resolve) => setTimeout(resolve, 50))
  const closed = server.close()
  sent.end(body.slice(3))
  expect(await status).toBe(204)
  await closed
  const again = await start({ dataDir })
  expect(await installation(again, token, orgId, bucketId).lines()).toEqual(['m f=1 1'])
})

it('does not wait for ever for a client that never finishes', async () => {
  const server = await startServer({ adminToken: 'x', variant: 'cluster', shutdownGraceSeconds: 0 })
  const sent = httpRequest(`${server.url}/write?db=d`, {
    method: 'POST',
    headers: { authorization: 'Token x', 'content-length': 100 },
  })
  sent.on('error', () => {})
  await new Promise((resolve) => sent.write('m', resolve))
  await new Promise((resolve) => setTimeout(resolve, 50))
  await server.close()
})

// The classes of the official API package at the edges of the interface: writes and backups, which are served, and
// what is not there (replication, scrapers, profiles), which must be told apart from a broken server: 404, with a JSON
// body that the client understands.

import { HttpError, InfluxDB, setLogger } from '@influxdata/influxdb-client'
import {
  BackupAPI,
  DebugAPI,
  MetricsAPI,
  RemotesAPI,
  ReplicationsAPI,
  RestoreAPI,
  ScrapersAPI,
  WriteAPI,
} from '@influxdata/influxdb-client-apis'
import { expect, it } from 'vitest'
import { install, send } from '../api/harness.js'

setLogger({ error: () => undefined, warn: () => undefined })

async function connect() {
  const place = await install()
  const client = new InfluxDB({ url: place.url, timeout: 60_000, token: place.token })
  return { place, client }
}

it('writes through the API class', async () => {
  const { place, client } = await connect()
  await place.server.catalog.buckets.create({
    orgId: place.orgId,
    name: 'edges',
    retentionSeconds: 0,
  })
  const api = new WriteAPI(client)
  await api.postWrite({ orgID: place.orgId, org: '', bucket: 'edges', body: 'm,t=a f=1 10' })
  const wrong = { orgID: place.orgId, org: '', bucket: 'edges', body: 'no line protocol' }
  await expect(api.postWrite(wrong)).rejects.toMatchObject({ statusCode: 400, code: 'invalid' })
  const url = `${place.url}/debug/export?orgID=${place.orgId}&bucket=edges`
  expect((await send(url, { token: place.token })).text).toBe('m,t=a f=1 10\n')
})

it('asks for the metadata of a backup; putting back all metadata is refused in words', async () => {
  const { client } = await connect()
  const metadata = String(await new BackupAPI(client).getBackupMetadata())
  expect(metadata).toContain('name="buckets"')
  const refused = new RestoreAPI(client).postRestoreKV({ body: 'x' })
  await expect(refused).rejects.toMatchObject({ statusCode: 501 })
})

it('lists replications, remotes and scrapers', async () => {
  const { place, client } = await connect()
  const { orgId: orgID } = place
  expect(await new ReplicationsAPI(client).getReplications({ orgID })).toMatchObject({
    replications: [],
  })
  expect(await new RemotesAPI(client).getRemoteConnections({ orgID })).toMatchObject({
    remotes: [],
  })
  expect(await new ScrapersAPI(client).getScrapers()).toMatchObject({ configurations: [] })
})

it('tells metrics where the class asks for them, beside /metrics', async () => {
  const { client } = await connect()
  expect(await new MetricsAPI(client).getMetrics()).toContain('millrace_write_points_total')
})

it('has no profiles, and says so', async () => {
  const { client } = await connect()
  const asked = new DebugAPI(client).getDebugPprofAllocs()
  const refusal = (await asked.catch((error) => error)) as HttpError
  expect(refusal).toBeInstanceOf(HttpError)
  expect(refusal).toMatchObject({ statusCode: 404, code: 'not found' })
})

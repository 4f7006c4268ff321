// Where queries are rehearsed: the app, the endpoint and the databases that serve clients, once more and
// on a port of their own that only this machine reaches. Token, figures and running queries are its own
// too, so that a rehearsal is seen in nobody's.

import { Agent, type RequestOptions, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Authenticator, type Identity } from '../access/authenticator.js'
import { hashToken, newToken } from '../access/tokens.js'
import type { Bucket } from '../catalog/buckets.js'
import { limits } from '../config.js'
import type { Stage } from '../tasks/rehearsal.js'
import { buildApp, buildServices } from './app.js'
import type { Services } from './services.js'
import { clusterDatabases, managedDatabases, writePoints } from './v1/databases.js'
import { databaseDirectory } from './v1/databases-directory.js'
import { queryRoutes } from './v1/query.js'

const host = '127.0.0.1'
/** How moments are asked for, in turn. */
const epochs = ['&epoch=ns', '&epoch=ms', '']

/** For queries about one bucket; undefined: no database leads there. */
export async function openStage(services: Services, bucket: Bucket): Promise<Stage | undefined> {
  const place = await databasePlace(services, bucket)
  if (place === undefined) return undefined
  const token = newToken(services.random)
  const app = buildStageApp(services, bucket, token)
  await app.listen({ host, port: 0 })
  const { port } = app.server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { authorization: `Token ${token}` }
  let count = 0
  return {
    ask: (text) => {
      const path = `/query?${place}${epochs[count++ % epochs.length]}&q=${encodeURIComponent(text)}`
      return ask({ host, port, path, agent, headers })
    },
    async close() {
      agent.destroy()
      await app.close()
    },
  }
}

/** The parameters that name the bucket. */
async function databasePlace(
  { catalog }: Services,
  { id, orgId }: Bucket,
): Promise<string | undefined> {
  for (const { name, policies } of (await databaseDirectory(catalog, orgId)).values()) {
    const policy = policies.find(({ bucket }) => bucket.id === id)
    if (policy === undefined) continue
    const rp = policy.isDefault ? '' : `&rp=${encodeURIComponent(policy.name)}`
    return `db=${encodeURIComponent(name)}${rp}`
  }
  return undefined
}

function buildStageApp(services: Services, { id, orgId }: Bucket, token: string) {
  const resource = { type: 'buckets', id, orgID: orgId } as const
  const identity: Identity = {
    tokenId: undefined,
    orgId,
    userId: undefined,
    permissions: [{ action: 'read', resource }],
  }
  const tokenHash = hashToken(token)
  const authenticator = new Authenticator({
    lookup: async (hash) => (hash === tokenHash ? identity : undefined),
    cacheEntriesMax: 1,
    tokenBytesMax: limits.tokenBytesMax,
  })
  const own = buildServices({ ...services, authenticator })
  const app = buildApp(own)
  const databases = services.config.variant === 'cluster' ? clusterDatabases : managedDatabases
  queryRoutes(app, own, {
    databases: (asker) => databases(own, asker),
    writePoints: (asker) => writePoints(own, asker),
    refusesMissingDatabase: false,
  })
  return app
}

function ask(options: RequestOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request(options, (answer) => {
      answer.once('error', reject)
      answer.once('end', () => {
        if (answer.statusCode === 200) resolve()
        else reject(new Error(`a rehearsed query was answered with ${answer.statusCode}`))
      })
      answer.resume()
    })
    asked.once('error', reject)
    asked.end()
  })
}

// Where queries are rehearsed: the service asks itself, over the port that its clients use. It has to be
// the same app and the same kind of connection: what the engine of the language compiles holds for the
// objects that it saw. The token is a guest's, who may read its organization's buckets while the stage is open;
// what is asked counts as requests, but in no organization's usage.

import * as http from 'node:http'
import * as https from 'node:https'
import { type Identity, serviceTokenId } from '../access/authenticator.js'
import { permissionsWithin } from '../access/permissions.js'
import { newToken } from '../access/tokens.js'
import type { Bucket } from '../catalog/storage/buckets.js'
import type { Stage } from '../tasks/rehearsal.js'
import type { Services } from './services.js'
import { databaseDirectory } from './v1/databases-directory.js'

/** How moments are asked for, in turn. */
const epochs = ['&epoch=ns', '&epoch=ms', '']
const asksPerClient = 20

/** For queries about one bucket; undefined: no database leads there. */
export async function openStage(
  services: Services,
  ownUrl: string,
  bucket: Bucket,
): Promise<Stage | undefined> {
  const place = await databasePlace(services, bucket)
  if (place === undefined) return undefined
  let client = new Client(services, ownUrl, bucket)
  let count = 0
  return {
    ask: (text) => {
      if (count > 0 && count % asksPerClient === 0) {
        client.leave()
        client = new Client(services, ownUrl, bucket)
      }
      const path = `/query?${place}${epochs[count++ % epochs.length]}&q=${encodeURIComponent(text)}`
      return client.ask(path)
    },
    async close() {
      client.leave()
    },
  }
}

/** One that comes, with a token and a connection of its own, asks for a while and goes: coming has to be tried too. */
class Client {
  readonly #url: string
  readonly #request: typeof http.request
  readonly #agent: http.Agent
  readonly #headers: http.OutgoingHttpHeaders
  readonly #dismiss: () => void

  constructor({ random, authenticator }: Services, ownUrl: string, bucket: Bucket) {
    const { Agent, request } = ownUrl.startsWith('https:') ? https : http
    const token = newToken(random)
    this.#url = ownUrl
    this.#request = request
    // The certificate names the service as its clients know it; here nobody else can be at the other end.
    this.#agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false })
    this.#headers = { authorization: `Token ${token}` }
    this.#dismiss = authenticator.receive(token, guestOf(bucket))
  }

  ask(path: string): Promise<void> {
    return answered(this.#request(this.#url + path, { agent: this.#agent, headers: this.#headers }))
  }

  leave(): void {
    this.#dismiss()
    this.#agent.destroy()
  }
}

/** With permissions as those of most tokens: of several, the one for buckets of the whole organization. */
function guestOf({ orgId }: Bucket): Identity {
  const permissions = permissionsWithin(
    [
      { action: 'read', resource: { type: 'orgs', id: orgId } },
      { action: 'read', resource: { type: 'buckets' } },
    ],
    orgId,
  )
  return { tokenId: serviceTokenId, orgId, userId: undefined, permissions }
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

function answered(asked: http.ClientRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    asked.once('response', (answer) => {
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

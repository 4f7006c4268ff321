// Remotes: other servers that points are handed on to. Their tokens are kept among the secrets of the organization and
// never shown. What is handed on, and how far it is, belongs to the replications that name a remote.

import { Type } from '@sinclair/typebox'
import { UserError } from '../../errors.js'
import { Secrets } from '../accounts/secrets.js'
import type { CatalogContext } from '../base/context.js'
import { type Given, optionalFields } from '../base/fields.js'
import { type CatalogRecord, Records } from '../base/records.js'

export interface RemoteBody {
  readonly description: string
  readonly remoteURL: string
  /** Empty: the remote has none, as InfluxDB 1.x, or knows it by the token. */
  readonly remoteOrgID: string
  readonly allowInsecureTLS: boolean
}

export type Remote = CatalogRecord<RemoteBody>

export const remoteFields = optionalFields({
  orgID: Type.String(),
  name: Type.String(),
  description: Type.String(),
  remoteURL: Type.String(),
  remoteAPIToken: Type.String(),
  remoteOrgID: Type.String(),
  allowInsecureTLS: Type.Boolean(),
})

export type RemoteInput = Given<typeof remoteFields>

export class Remotes {
  readonly records: Records<RemoteBody>
  readonly #secrets: Secrets

  constructor(context: CatalogContext) {
    this.#secrets = new Secrets(context)
    this.records = new Records(context, { kind: 'remote', noun: 'remote connection' })
  }

  /** In a transaction: the token belongs to it. */
  async create(orgId: string, ownerId: string | undefined, input: RemoteInput): Promise<Remote> {
    const { name = '', description = '', remoteURL, remoteOrgID = '' } = input
    if (name === '') throw new UserError('invalid', 'a remote connection needs a name')
    const body = {
      description,
      remoteURL: checkedUrl(remoteURL),
      remoteOrgID,
      allowInsecureTLS: input.allowInsecureTLS ?? false,
    }
    const made = await this.records.create({ orgId, ownerId, name, body })
    await this.#keepToken(made, input.remoteAPIToken)
    return made
  }

  /** In a transaction. What is absent stays as it is. */
  async update(id: string, change: RemoteInput): Promise<Remote> {
    const before = await this.records.require(id)
    const { body } = before
    if (change.name === '') throw new UserError('invalid', 'a remote connection needs a name')
    await this.#keepToken(before, change.remoteAPIToken)
    return this.records.update(id, {
      name: change.name,
      body: {
        description: change.description ?? body.description,
        remoteURL: checkedUrl(change.remoteURL ?? body.remoteURL),
        remoteOrgID: change.remoteOrgID ?? body.remoteOrgID,
        allowInsecureTLS: change.allowInsecureTLS ?? body.allowInsecureTLS,
      },
    })
  }

  /** In a transaction. Who calls it has looked whether a replication still needs it. */
  async delete(id: string): Promise<void> {
    const { orgId } = await this.records.require(id)
    await this.#secrets.delete(orgId, [tokenKey(id)])
    await this.records.delete(id)
  }

  /** For sending only: empty where there is none. */
  async token({ id, orgId }: Remote): Promise<string> {
    return (await this.#secrets.get(orgId, tokenKey(id))) ?? ''
  }

  async #keepToken({ id, orgId }: Remote, token: string | undefined): Promise<void> {
    if (token === undefined) return
    if (/[\r\n]/.test(token)) throw new UserError('invalid', 'the token must be one line')
    await this.#secrets.put(orgId, { [tokenKey(id)]: token })
  }
}

function tokenKey(id: string): string {
  return `${id}-token`
}

function checkedUrl(text: string | undefined): string {
  const url = URL.canParse(text ?? '') ? new URL(text ?? '') : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === '') return url.href
  const advice = 'http or https, without a name and a password in it'
  throw new UserError('invalid', `"${text ?? ''}" is not the address of a server: ${advice}`)
}

// An installation that moves while its server runs. Its catalog is copied out of the folder as it is at one moment, its
// points are asked of the server, which also tells what has changed meanwhile. Only for the last look are writes held
// back: what has changed since the one before is little. When all is there they stay held back, for a while in which
// the address changes; where something failed they are taken again at once, and so they are when this process dies.

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { operatorPermissions } from '../access/permissions.js'
import { UserError } from '../errors.js'
import type { OpenOptions } from '../index.js'
import { V1Client } from '../migrate/connection/v1-client.js'
import type { MigrationSource } from '../migrate/plan/source.js'
import { millraceSource } from '../migrate/sources/millrace-source.js'
import { QuerySource } from '../migrate/sources/query-source.js'
import {
  type SeenStorage,
  type SpanChange,
  type SpanChanges,
  WatchedUnits,
} from '../migrate/sources/watched-units.js'
import { systemClock } from '../platform/clock.js'
import { lockFolder, servedAt } from '../platform/folder-lock.js'
import { connect } from '../platform/sqlite.js'
import type { MovedOrganization } from './migrate-catalog.js'

export interface RunningPlace {
  readonly folder: string
  readonly url: string
}

/** Undefined: nobody serves the folder now. */
export function runningPlace(folder: string): RunningPlace | undefined {
  if (!existsSync(`${folder}/catalog.sqlite`)) return undefined
  try {
    lockFolder(folder).release()
    return undefined
  } catch (error) {
    const url = servedAt(folder)
    if (url === undefined) throw error
    return { folder, url }
  }
}

/** A hold is told again several times before it ends. */
const holdSeconds = 30
const holdEveryMs = 5000
/** How long writes stay held back after all is there: whoever moves changes the address meanwhile. */
const movedSeconds = 600
/** The server forgets what nobody has asked for within an hour. */
const lookEveryMs = 10 * 60 * 1000

const tokenDescription = 'migration of a server that runs, while it lasts'

const now = () => systemClock.now()

interface OrganizationToken {
  readonly id: string
  readonly token: string
}

export class RunningInstallation {
  readonly #place: RunningPlace
  readonly #client: V1Client
  readonly #copy: string
  readonly #watched: WatchedUnits
  readonly #tokens = new Map<string, OrganizationToken>()
  readonly #lookTimer: NodeJS.Timeout
  #holdTimer: NodeJS.Timeout | undefined
  #heldSince: string | undefined
  #holdFailure: Error | undefined
  #isMoved = false

  /** `journalPath`: what it keeps for the next start lies beside it. */
  constructor(place: RunningPlace, token: string | undefined, journalPath: string) {
    if (token === undefined) {
      const what = `a server runs on ${place.folder}, at ${place.url}`
      throw new UserError(
        'invalid',
        `${what}: --from-token needs the token of an operator, or stop the server`,
      )
    }
    this.#place = place
    this.#client = new V1Client(place.url, { token })
    this.#copy = `${journalPath}.catalog`
    const seen = seenIn(`${journalPath}.seen`)
    this.#watched = new WatchedUnits((id, since) => this.#changes(id, since), now, seen)
    this.#lookTimer = setInterval(() => {
      this.#watched.lookAtAll().catch(() => undefined)
    }, lookEveryMs).unref()
  }

  /** As it is at this moment, in a folder of its own. */
  copyCatalog(): OpenOptions {
    rmSync(this.#copy, { recursive: true, force: true })
    mkdirSync(this.#copy, { recursive: true })
    const database = connect(`${this.#place.folder}/catalog.sqlite`)
    try {
      database.exec('PRAGMA busy_timeout = 5000')
      const path = `${this.#copy}/catalog.sqlite`.replaceAll("'", "''")
      database.exec(`VACUUM INTO '${path}'`)
    } finally {
      database.close()
    }
    const copied = connect(`${this.#copy}/catalog.sqlite`)
    // Also those of a start that was killed.
    copied.exec(`DELETE FROM tokens WHERE description = '${tokenDescription}'`)
    copied.close()
    // The points stay where they are.
    return { dataDir: this.#copy, acceptLostCatalog: true }
  }

  async source(organization: MovedOrganization): Promise<MigrationSource> {
    const { token } = await this.#tokenOf(organization)
    const client = new V1Client(this.#place.url, { token })
    const points = new QuerySource(client, now)
    return {
      ...millraceSource(client, points, organization.name, this.#watched),
      title: `Millrace in ${this.#place.folder}, served at ${this.#place.url}`,
    }
  }

  /** InfluxQL answers for the organization of a token. */
  async #tokenOf({ id }: MovedOrganization): Promise<OrganizationToken> {
    const known = this.#tokens.get(id)
    if (known !== undefined) return known
    const description = tokenDescription
    const body = { orgID: id, description, permissions: operatorPermissions() }
    const made = await this.#ask<OrganizationToken>('POST', 'api/v2/authorizations', body)
    this.#tokens.set(id, made)
    return made
  }

  async #changes(bucketId: string, since: bigint): Promise<SpanChanges> {
    interface Told {
      readonly knownSince: string
      readonly until: string
      readonly changes: readonly (Pick<SpanChange, 'removed'> & {
        readonly start: string
        readonly stop: string
        readonly at: string
      })[]
    }
    const asked = { bucketID: bucketId, since: String(since) }
    const told = await this.#ask<Told>('POST', 'api/v2/writes/changes', asked)
    const changes = told.changes.map(({ start, stop, at, removed }) => {
      return { range: { start: BigInt(start), stop: BigInt(stop) }, at: BigInt(at), removed }
    })
    return { knownSince: BigInt(told.knownSince), until: BigInt(told.until), changes }
  }

  async #ask<T>(method: string, path: string, body?: object): Promise<T> {
    const headers = { 'content-type': 'application/json' }
    const sent = body === undefined ? {} : { body: JSON.stringify(body), headers }
    const text = await this.#client.text(path, { method, ...sent })
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  /** Resolves when no write is under way any more. */
  async holdWrites(): Promise<void> {
    await this.#hold(holdSeconds)
    this.#holdTimer = setInterval(() => {
      this.#hold(holdSeconds).catch((error: Error) => {
        this.#holdFailure = error
      })
    }, holdEveryMs)
  }

  async #hold(seconds: number): Promise<void> {
    const path = 'api/v2/writes/hold'
    const { since } = await this.#ask<{ since: string }>('POST', path, { seconds })
    this.#heldSince ??= since
    if (since !== this.#heldSince) {
      throw new UserError('unavailable', 'writes were taken meanwhile: start the migration again')
    }
  }

  /** All is there. Answers with how long writes have been held back; they still are. */
  async moved(): Promise<number> {
    clearInterval(this.#holdTimer)
    if (this.#holdFailure !== undefined) throw this.#holdFailure
    await this.#hold(movedSeconds)
    this.#isMoved = true
    return Number((now() - BigInt(this.#heldSince ?? now())) / 1_000_000n) / 1000
  }

  /** Where not all is there, writes are taken again. */
  async close(): Promise<void> {
    clearInterval(this.#lookTimer)
    clearInterval(this.#holdTimer)
    if (this.#heldSince !== undefined && !this.#isMoved) {
      await this.#ask('DELETE', 'api/v2/writes/hold')
    }
    for (const { id } of this.#tokens.values()) {
      await this.#ask('DELETE', `api/v2/authorizations/${id}`)
    }
    rmSync(this.#copy, { recursive: true, force: true })
  }
}

function seenIn(path: string): SeenStorage {
  return {
    load: () => (existsSync(path) ? readFileSync(path, 'utf8') : undefined),
    save(text) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(`${path}.new`, text)
      renameSync(`${path}.new`, path)
    },
  }
}

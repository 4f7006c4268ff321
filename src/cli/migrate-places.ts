// What `migrate` reads from and writes to, by what it was called with. A folder of Millrace's own, or a store and a
// catalog elsewhere, are served by this process while it lasts, on a port of this machine that nobody else knows the
// token of.

import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { operatorPermissions } from '../access/permissions.js'
import { hashToken, newToken } from '../access/tokens.js'
import type { Flags } from '../config.js'
import { parseCatalog, parseStore } from '../config-values.js'
import { UserError } from '../errors.js'
import { type RunningServer, type ServerOptions, startServer } from '../index.js'
import { findServerKind } from '../migrate/connection/server-kind.js'
import { V1Client } from '../migrate/connection/v1-client.js'
import type { MigrationSource } from '../migrate/plan/source.js'
import type { KeepToken } from '../migrate/run/resources.js'
import { MigrationTarget, type RemovePoints, type WritePoints } from '../migrate/run/target.js'
import { BackupSource } from '../migrate/sources/backup-source.js'
import { FluxSource } from '../migrate/sources/flux-source.js'
import { FolderSource } from '../migrate/sources/folder-source.js'
import { millraceSource } from '../migrate/sources/millrace-source.js'
import { QuerySource } from '../migrate/sources/query-source.js'
import { LinePoints, type SqlPoints } from '../migrate/sources/sql-points.js'
import { SqlSource } from '../migrate/sources/sql-source.js'
import { v2ServerBackup } from '../migrate/sources/v2-server-backup.js'
import { V2Source, v2Backup, v2Folder } from '../migrate/sources/v2-source.js'
import { systemClock } from '../platform/clock.js'
import { NodeDisk } from '../platform/node-disk.js'
import { systemRandom } from '../platform/random.js'

export function isUrl(place: string): boolean {
  return /^https?:\/\//.test(place)
}

/** A store and a catalog elsewhere, as journals and people name them: without passwords. */
const clusterPrefix = 'cluster '

export function isFolder(place: string): boolean {
  return !isUrl(place) && !place.startsWith(clusterPrefix)
}

/** `prefix`: of the flags that name it. Undefined: none does. */
export function clusterPlace(flags: Flags, prefix: '' | 'from-'): string | undefined {
  const [store, catalog] = [flags.get(`${prefix}store`), flags.get(`${prefix}catalog`)]
  if (store === undefined && catalog === undefined) return undefined
  if (store === undefined || catalog === undefined) {
    throw new UserError('invalid', `flags --${prefix}store and --${prefix}catalog belong together`)
  }
  const named = [
    ['store', store, parseStore(store)],
    ['catalog', catalog, parseCatalog(catalog)],
  ] as const
  for (const [flag, url, parsed] of named) {
    if (parsed === undefined || !url.includes('://'))
      throw new UserError('invalid', `flag --${prefix}${flag}: no such URL`)
  }
  return `${clusterPrefix}${named.map(([, url]) => withoutPassword(url)).join(' ')}`
}

function withoutPassword(url: string): string {
  return url.replace(/^(\w+:\/\/[^:@/]*):[^@/]*@/, '$1@')
}

/** Where a place of Millrace's own lies, to be served by this process. */
export type OwnPlace = Pick<
  ServerOptions,
  'dataDir' | 'store' | 'storePasswordFile' | 'catalog' | 'catalogPasswordFile'
>

export function ownPlace(place: string, flags: Flags, prefix: '' | 'from-'): OwnPlace {
  if (isFolder(place)) return { dataDir: place }
  return {
    store: flags.get(`${prefix}store`) ?? '',
    storePasswordFile: flags.get(`${prefix}store-password-file`),
    catalog: flags.get(`${prefix}catalog`),
    catalogPasswordFile: flags.get(`${prefix}catalog-password-file`),
  }
}

export interface OpenedTarget {
  readonly target: MigrationTarget
  /** What was made for a folder that was empty, to be told once. */
  readonly firstLogin: Readonly<Record<string, string>> | undefined
  close(): Promise<void>
}

export async function openSource(
  place: string,
  flags: Flags,
  workFolder: string,
): Promise<MigrationSource> {
  if (isUrl(place)) {
    const credentials = {
      token: flags.get('from-token'),
      username: flags.get('from-username'),
      password: flags.get('from-password'),
    }
    const client = new V1Client(place, credentials)
    return serverSource(client, flags, workFolder)
  }
  if (!isFolder(place)) return ownSource(place, flags)
  if (!existsSync(place))
    throw new UserError('invalid', `flag --from: there is no folder "${place}"`)
  const names = readdirSync(place)
  if (names.includes('catalog.sqlite')) return ownSource(place, flags)
  const disk = new NodeDisk()
  const organization = flags.get('from-org')
  if (names.includes('influxd.bolt')) {
    return new V2Source(v2Folder(disk, place), organization)
  }
  if (names.some((name) => name.endsWith('.manifest'))) {
    const backup = await v2Backup(disk, place, workFolder)
    if (backup !== undefined) return new V2Source(backup, organization)
    return BackupSource.open(new NodeDisk(), place, workFolder)
  }
  return FolderSource.open(new NodeDisk(), place)
}

const now = () => systemClock.now()

/** By what the server says it is, or as the flags say. */
async function serverSource(
  client: V1Client,
  flags: Flags,
  workFolder: string,
): Promise<MigrationSource> {
  const organization = flags.get('from-org')
  const kind = await findServerKind(client)
  const points = new QuerySource(client, now)
  const wanted = flags.get('read-by')
  if (wanted === undefined && kind.isMillrace) {
    return kind.interface === 2 ? millraceSource(client, points, organization) : points
  }
  const by = wanted ?? ({ 1: 'influxql', 2: 'backup', 3: 'flight' } as const)[kind.interface]
  if (by === 'influxql') return points
  if (by === 'sql') return new SqlSource(client, new LinePoints(client, undefined), now)
  if (by === 'flight') return new SqlSource(client, await flightPoints(client, wanted), now)
  if (by === 'backup') {
    const files = await v2ServerBackup(client, new NodeDisk(), workFolder, now)
    if (files !== undefined) return new V2Source(files, organization)
    if (wanted !== undefined) {
      const reason = 'it needs the token of an operator of InfluxDB 2.x'
      throw new UserError('invalid', `flag --read-by: the server gives no backup: ${reason}`)
    }
  }
  return new FluxSource(client, organization, now)
}

/** Where a proxy in between lets no Flight through, points come as text, unless it was asked for. */
async function flightPoints(client: V1Client, wanted: string | undefined): Promise<SqlPoints> {
  const { FlightClient } = await import('../migrate/connection/flight-client.js')
  const { FlightPoints } = await import('../migrate/sources/flight-points.js')
  // The scheme that every server of 3.x takes over Flight.
  const flight = new FlightClient(client.url, client.authorization?.replace(/^Token /, 'Bearer '))
  const reason = await flight.unreachable()
  if (reason === undefined) return new FlightPoints(flight)
  flight.close()
  if (wanted !== undefined) {
    throw new UserError('invalid', `flag --read-by: the server does not speak Flight: ${reason}`)
  }
  return new LinePoints(client, `points come as JSON lines: no Flight at ${client.url}: ${reason}`)
}

/** Another Millrace's folder or cluster: it is asked like a server, and ends with the source. */
async function ownSource(place: string, flags: Flags): Promise<MigrationSource> {
  const organization = flags.get('from-org')
  const served = await servePlace(ownPlace(place, flags, 'from-'), organization)
  const client = new V1Client(served.server.url, { token: served.token })
  const source = millraceSource(client, new QuerySource(client, now), organization)
  return {
    ...source,
    title: `Millrace in ${place.replace(clusterPrefix, '')}`,
    close: served.close,
  }
}

export async function openTarget(place: string, flags: Flags): Promise<OpenedTarget> {
  if (isUrl(place)) {
    const client = new V1Client(place, { token: flags.get('to-token') })
    const target = new MigrationTarget(client, { org: flags.get('org') })
    return { target, firstLogin: undefined, close: async () => {} }
  }
  if (isFolder(place)) mkdirSync(place, { recursive: true })
  const served = await servePlace(ownPlace(place, flags, ''), flags.get('org'))
  const client = new V1Client(served.server.url, { token: served.token })
  const { server, orgId } = served
  const organization = await server.catalog.organizations.require(orgId)
  const target = new MigrationTarget(client, {
    ...directChanges(served),
    org: organization.name,
    keepToken: tokenKeeper(served),
  })
  return { target, firstLogin: served.firstLogin, close: served.close }
}

interface ServedPlace {
  readonly server: RunningServer
  readonly token: string
  readonly orgId: string
  readonly firstLogin: Readonly<Record<string, string>> | undefined
  close(): Promise<void>
}

async function servePlace(place: OwnPlace, org: string | undefined): Promise<ServedPlace> {
  const server = await startServer({
    ...place,
    noTasks: true,
    noUi: true,
    queryTimeoutSeconds: 0,
    queryPointsMax: 0,
    querySeriesMax: 0,
    queryBucketsMax: 0,
  })
  try {
    const { organizations, tokens } = server.catalog
    const isNamed = org !== undefined && (await organizations.findByName(org)) !== undefined
    const isNew = !isNamed && (await server.isSetupAllowed())
    const firstLogin = isNew ? await setUp(server, org) : undefined
    const found =
      org === undefined ? await organizations.findFirst() : await organizations.findByName(org)
    if (found === undefined) throw new UserError('not found', `organization "${org}" not found`)
    const token = newToken(systemRandom)
    const { id } = await tokens.create({
      tokenHash: hashToken(token),
      orgId: found.id,
      userId: undefined,
      description: 'migration, while it lasts',
      permissions: operatorPermissions(),
    })
    const close = async () => {
      await tokens.delete(id)
      await server.close()
    }
    return { server, token, orgId: found.id, firstLogin, close }
  } catch (error) {
    await server.close()
    throw error
  }
}

async function setUp(server: RunningServer, org = 'default') {
  const login = { username: 'admin', password: newToken(systemRandom).slice(0, 20), org }
  const body = JSON.stringify({ ...login, bucket: 'default', retentionPeriodSeconds: 0 })
  const answer = await fetch(`${server.url}/api/v2/setup`, { method: 'POST', body })
  if (answer.status !== 201) throw new Error(await answer.text())
  const { auth } = (await answer.json()) as { auth: { token: string } }
  return { ...login, token: auth.token }
}

/** Tokens of the source keep working: what is kept of them is a hash on both sides. */
function tokenKeeper({ server, orgId }: ServedPlace): KeepToken {
  const { tokens } = server.catalog
  return async ({ hash, description, permissions, isActive }) => {
    if ((await tokens.findByHash(hash)) !== undefined) return
    const token = { tokenHash: hash, orgId, userId: undefined, description, permissions }
    const { id } = await tokens.create(token)
    if (!isActive) await tokens.setStatus(id, 'inactive')
  }
}

/** Points go straight into the store, and out of it. */
function directChanges({ server, orgId }: ServedPlace) {
  const buckets = new Map<string, string>()
  const bucketOf = async (database: string, policy: string) => {
    const key = JSON.stringify([database, policy])
    const known = buckets.get(key)
    if (known !== undefined) return known
    const found = await server.catalog.dbrps.resolve(orgId, database, policy)
    if (found.kind !== 'found') throw new Error(`database "${database}" has no policy "${policy}"`)
    buckets.set(key, found.bucketId)
    return found.bucketId
  }
  const write: WritePoints = async (database, policy, batch) => {
    const bucket = await bucketOf(database, policy)
    const { rejectedCount, rejected } = await server.store.write(bucket, batch)
    return { count: rejectedCount, reasons: rejected.map(({ reason }) => reason) }
  }
  const remove: RemovePoints = async (database, policy, { range, measurement, predicate }) => {
    const bucket = await bucketOf(database, policy)
    await server.store.delete({
      ...{ bucket, range },
      ...(measurement !== undefined && { measurement }),
      ...(predicate !== undefined && { predicate }),
    })
  }
  return { write, remove }
}

// The library face: a server inside a Node program, in memory or on a folder, or just its store.
// This is the one place where the parts of the house are joined: disk, catalog, engine, access,
// HTTP. Nothing is kept outside the objects returned, so that many servers can run in one process,
// one after the other or side by side.

import { availableParallelism, hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Authenticator, type Identity, type Login } from './access/authenticator.js'
import { databaseTokenKeyBytes } from './access/database-tokens.js'
import { Passwords } from './access/passwords.js'
import { operatorPermissions } from './access/permissions.js'
import { hashToken, newToken } from './access/tokens.js'
import { Alerts } from './alerts/alerts.js'
import { type Background, backgroundWork } from './background.js'
import { mustBeRestored } from './backup/restore.js'
import type { SavedBucket } from './catalog/base/context.js'
import { Catalog } from './catalog/catalog.js'
import { RegistryAccess } from './catalog/registry-access.js'
import { isSetupAllowed } from './catalog/setup.js'
import { type Config, defaultConfig, limits, type Plan, type StoreEngine } from './config.js'
import { Flight } from './flight/flight.js'
import { fluxLoader } from './flux/loader.js'
import { isContent } from './http/base/content-paths.js'
import { httpServices, type Services } from './http/base/services.js'
import { UiFiles } from './http/base/ui-files.js'
import { programVersion } from './http/base/version.js'
import { clusterDataRoutes, managedDataRoutes } from './http/data/routes.js'
import { type ControlPart, HttpServer } from './http/server.js'
import { type SharedPort, sharePort } from './http/shared-port.js'
import { readTls } from './http/tls-files.js'
import { influxql } from './influxql/influxql.js'
import { selectPlaces } from './influxql/statements/select-places.js'
import { BackgroundTurns } from './platform/background-turns.js'
import { type Clock, systemClock } from './platform/clock.js'
import { type Disk, readFile } from './platform/disk.js'
import { lockFolder } from './platform/folder-lock.js'
import { MemoryDisk } from './platform/memory-disk.js'
import { NodeDisk } from './platform/node-disk.js'
import { OutgoingAddresses } from './platform/outgoing-address.js'
import { OutgoingMails } from './platform/outgoing-mail.js'
import { OutgoingRequests } from './platform/outgoing-requests.js'
import { DatabaseProcesses } from './platform/outside-databases.js'
import { systemRandom } from './platform/random.js'
import { isReadOnlyFolder } from './platform/read-only-folder.js'
import { threadStarter } from './platform/start-thread.js'
import type { FirstSetup } from './service/base/first-setup-request.js'
import { standingOf } from './service/base/identities.js'
import type { Log } from './service/base/log.js'
import { mustBelongTogether } from './service/base/lost-catalog.js'
import { databaseTokenReader } from './service/cluster/token-permissions.js'
import { firstDescription } from './service/databases/admin-tokens.js'
import { applyFirstSetup } from './service/first-setup.js'
import type { QueryThreadsOptions } from './service/query-thread/query-threads.js'
import { WorkerPort } from './service/query-thread/thread-ports.js'
import { buildService, type Service } from './service/service.js'
import { SqlLanguage } from './sql/sql.js'
import { openStoreEngine, type WriteLimits, writeLimitsOf } from './store/engines/open-store.js'
import type { Store } from './store/store.js'

export type { Config } from './config.js'
export type { Clock } from './platform/clock.js'
export type { Log } from './service/base/log.js'
export type { Store } from './store/store.js'

export interface OpenOptions {
  /** The folder that holds everything. Absent: everything is kept in memory. */
  readonly dataDir?: string
  readonly clock?: Clock
  /** What organizations are limited to, as long as nothing else was set for them. */
  readonly plan?: Plan
  readonly log?: Log
  /** Where flushes and compactions run. Default: on workers for a folder, inline in memory. */
  readonly jobs?: 'inline' | 'workers'
  /** What points are kept in. Default: embedded. */
  readonly store?: StoreEngine
  readonly storePasswordFile?: string | undefined
  /** A folder that logs are copied into before they are removed; absent: none. */
  readonly walArchive?: string | undefined
  readonly writeQuorum?: number | undefined
  /** The URL of a PostgreSQL database that holds the catalog. Default: a file in the folder, or memory. */
  readonly catalog?: string | undefined
  readonly catalogPasswordFile?: string | undefined
  readonly nodeId?: string | undefined
  /** Whether a catalog may be opened that has lost what was acknowledged, or all of it beside a full store. */
  readonly acceptLostCatalog?: boolean
  /** Threads that big scans are shared by; 0: none. Default: 4, and none in memory. */
  readonly scanThreadsMax?: number
  /** What one write may add to a bucket. Default: as the flags are by default. */
  readonly writeLimits?: WriteLimits | undefined
  /** Where the store keeps its files if `dataDir` is absent: for tests with a disk that fails. */
  readonly disk?: Disk
}

export interface OpenStore {
  readonly store: Store
  /** @internal Its types come from packages that are in the bundle and not installed. */
  readonly catalog: Catalog
  /** For whoever finds the folder taken: where it is served. */
  tellUrl(url: string): void
  close(): Promise<void>
}

/** Default: in memory, on a free port of this machine. */
export type ServerOptions = OpenOptions &
  Partial<Omit<Config, 'dataDir' | 'memory'>> & {
    /** Where the pages of the web UI lie. Default: where the build puts them. */
    readonly uiFolder?: string
    /** @internal Threads that long queries run on, for tests that bring their own. */
    readonly queryThreads?: QueryThreadsOptions | undefined
    /** What a new installation is set up with before it listens. Default: by the first who calls. */
    readonly firstSetup?: FirstSetup | undefined
  }

export interface RunningServer {
  readonly url: string
  readonly port: number
  readonly store: Store
  /** @internal Its types come from packages that are in the bundle and not installed. */
  readonly catalog: Catalog
  /** The first token of a cluster that had none: shown here and never again. */
  readonly firstToken: string | undefined
  /** True while nobody has set the installation up. */
  isSetupAllowed(): Promise<boolean>
  /** Finishes requests under way, makes everything durable, lets go of port and folder. */
  close(): Promise<void>
}

const ignoreLog: Log = () => {}

/** Opens a folder (or memory) without serving it. One process at a time. */
export async function openStore(options: OpenOptions): Promise<OpenStore> {
  const clock = options.clock ?? systemClock
  const log = options.log ?? ignoreLog
  const folder = options.dataDir
  const disk = folder === undefined ? (options.disk ?? new MemoryDisk()) : new NodeDisk()
  const root = folder ?? 'memory'
  await disk.makeDir(root)
  if (options.catalog === undefined) await mustBeRestored(disk, root)
  const isReadOnly = folder !== undefined && isReadOnlyFolder(folder)
  if (isReadOnly) log('warn', 'the data folder is read-only: writes and changes are refused')
  // Where nobody can write, nobody can lock, and none of those who only read is in the way of another.
  const lock = folder === undefined || isReadOnly ? undefined : lockFolder(folder)
  let catalog: Catalog | undefined
  let store: Store | undefined
  let drops: BucketDrops | undefined
  const close = async () => {
    try {
      await drops?.finish()
      await store?.close()
      await catalog?.close()
    } finally {
      // The lock goes last: whoever comes next finds everything at rest.
      lock?.release()
    }
  }
  try {
    const path = await catalogAddress(options)
    const { plan, nodeId } = options
    const scriptTools = async () => (await import('./flux/tools/script-tools.js')).scriptTools
    const random = systemRandom
    const isLossAccepted = options.acceptLostCatalog
    const tools = { scriptTools, queryPlaces: selectPlaces }
    const parts = { path, clock, random, plan, ...tools, nodeId, programVersion, isLossAccepted }
    catalog = await Catalog.open(parts)
    const jobs = options.jobs ?? (folder === undefined ? 'inline' : 'workers')
    const storeFolder = `${root}/store`
    await disk.makeDir(storeFolder)
    // What the store syncs is only safe if the folders above it have their names.
    await disk.syncDir(root)
    await disk.syncDir(dirname(root)).catch(() => undefined)
    store = await openStoreEngine(options.store ?? 'embedded', {
      disk,
      folder: storeFolder,
      clock,
      threads: jobs === 'workers',
      scanThreadsMax: options.scanThreadsMax,
      writeLimits: options.writeLimits,
      walArchive: options.walArchive,
      log,
      registry: new RegistryAccess(catalog),
      password: await readPassword(options.storePasswordFile),
      writeQuorum: options.writeQuorum,
    })
    if (!isLossAccepted) await mustBelongTogether(catalog, store, path)
    drops = new BucketDrops(catalog, store, log)
    await joinBuckets(catalog, store, drops, log)
    return { store, catalog, tellUrl: (url) => lock?.tellUrl(url), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function catalogAddress(options: OpenOptions): Promise<string> {
  const { dataDir, catalog, catalogPasswordFile: file } = options
  if (catalog === undefined) return dataDir === undefined ? ':memory:' : `${dataDir}/catalog.sqlite`
  const password = await readPassword(file)
  if (password === undefined) return catalog
  const url = new URL(catalog)
  url.password = encodeURIComponent(password)
  return url.href
}

async function readPassword(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined
  const bytes = await readFile(new NodeDisk(), file)
  return Buffer.from(bytes).toString().split(/\r?\n/)[0]
}

/**
 * The store knows of buckets what it needs to: how long each keeps its points. A deleted one is
 * dropped there later than in the catalog, which remembers it until then.
 */
async function joinBuckets(
  catalog: Catalog,
  store: Store,
  drops: BucketDrops,
  log: Log,
): Promise<void> {
  const set = (bucket: SavedBucket) => {
    const retentionNs = BigInt(bucket.retentionSeconds) * 1_000_000_000n
    return store.setBucket(bucket.id, { retentionNs, owner: bucket.orgId })
  }
  for (const bucket of await catalog.buckets.all()) await set(bucket)
  for (const bucketId of await catalog.buckets.awaitingDrop()) drops.start(bucketId)
  catalog.on('bucket-saved', (bucket) => {
    set(bucket).catch((error: unknown) => {
      log('error', 'the store did not take the settings of a bucket', { error })
    })
  })
  catalog.on('bucket-deleted', (bucketId) => drops.start(bucketId))
}

/** Drops of deleted buckets that are under way. One that fails is tried again at the next start. */
class BucketDrops {
  readonly #catalog: Catalog
  readonly #store: Store
  readonly #log: Log
  readonly #underWay = new Set<Promise<void>>()

  constructor(catalog: Catalog, store: Store, log: Log) {
    this.#catalog = catalog
    this.#store = store
    this.#log = log
  }

  start(bucketId: string): void {
    const work = this.#drop(bucketId).finally(() => this.#underWay.delete(work))
    this.#underWay.add(work)
  }

  async #drop(bucketId: string): Promise<void> {
    try {
      await this.#store.dropBucket(bucketId)
      await this.#catalog.buckets.dropped(bucketId)
    } catch (error) {
      this.#log('error', 'a deleted bucket could not be dropped yet', { bucketId, error })
    }
  }

  async finish(): Promise<void> {
    await Promise.all(this.#underWay)
  }
}

export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const clock = options.clock ?? systemClock
  const log = options.log ?? ignoreLog
  const config = serverConfig(options)
  const sql = new SqlLanguage()
  const opened = closedAfter(
    sql,
    await openStore({ ...options, writeLimits: writeLimitsOf(config) }),
  )
  const { store, catalog } = opened
  try {
    const cluster = config.variant === 'cluster' ? await prepareCluster(catalog, config) : undefined
    const parts = {
      config,
      store,
      catalog,
      ...joinAccess({ catalog, clock, config, cluster }),
      clock,
      random: systemRandom,
      outgoing: outgoingRequests(config),
      databasesOutside: databasesOutside(config),
      turns: new BackgroundTurns(),
      log,
      homeOrgId: cluster?.homeOrgId,
      databaseTokenKey: cluster?.databaseTokenKey,
      languages: { influxql, sql, flux: fluxLoader() },
    }
    const service = buildService(parts, queryThreads(options, config))
    const isAlone = catalog.nodes === undefined
    const alerts = new Alerts({ service, mail: outgoingMails(config), isAlone })
    const ui = config.noUi ? undefined : await openUi(options, config)
    const services = httpServices(service, alerts, ui)
    const http = httpServer(services)
    const flight = new Flight(service)
    const port = sharePort(http.server, {
      tls: await readTls(config),
      silenceMsMax: config.requestTimeoutSeconds * 1000,
      onHttp2: (socket) => flight.accept(socket),
    })
    const background = backgroundWork(service, alerts)
    services.metrics.add(() => background.metrics())
    await service.replications.open()
    if (options.firstSetup !== undefined) await setUp(service, options.firstSetup)
    await listen(http, flight, config)
    await background.start()
    const url = urlOf(config, http.port)
    opened.tellUrl(url)
    await catalog.nodes?.setUrl(urlOf(config, http.port, hostname()))
    return {
      url,
      port: http.port,
      store,
      catalog,
      firstToken: cluster?.firstToken,
      isSetupAllowed: () => isSetupAllowed(catalog),
      close: once(async () => {
        await drain(services)
        await background.stop()
        await service.imports.close()
        const read = closedAfter(service.queries, opened)
        const last = closedAfter({ close: () => finish(service, background) }, read)
        await stop({ http, flight, port }, last, config.shutdownGraceSeconds)
      }),
    }
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** When nobody asks any more. */
async function finish({ writes }: Service, background: Background): Promise<void> {
  await background.finish()
  await writes.close()
}

/** Says that requests should go elsewhere, and answers all that come; connections end with their next answer. */
async function drain({ health, state, config }: Services): Promise<void> {
  health.drain()
  state.isOpen = false
  await pause(config.drainSeconds * 1000)
}

/** A server that is not what it was asked to be must not go on. */
async function setUp(service: Service, wanted: FirstSetup): Promise<void> {
  const { username, org, bucket } = wanted
  if (!(await applyFirstSetup(service, wanted))) return
  service.log('info', 'set up as asked for at the start', { username, org, bucket })
}

type ControlParameters = Parameters<ControlPart['load']>

/** The control planes are most of the code there is: whoever writes and queries does not wait for them. */
function httpServer(services: Services): HttpServer {
  if (services.config.variant === 'cluster') {
    const all = async (...parts: ControlParameters) =>
      (await import('./http/cluster.js')).buildCluster(...parts)
    return new HttpServer(services, clusterDataRoutes(services), [{ takes: () => true, load: all }])
  }
  const content = async (...parts: ControlParameters) =>
    (await import('./http/content.js')).buildContent(...parts)
  const others = async (...parts: ControlParameters) =>
    (await import('./http/managed.js')).buildManaged(...parts)
  return new HttpServer(services, managedDataRoutes(services), [
    { takes: isContent, load: content },
    { takes: () => true, load: others },
  ])
}

async function listen(
  http: HttpServer,
  flight: Flight,
  { httpAddress: { host, port } }: Config,
): Promise<void> {
  try {
    await http.listen(host, port)
  } catch (error) {
    await flight.close(0)
    await http.close()
    throw error
  }
}

/** Beside the bundle; from source there is none. */
function openUi({ uiFolder }: ServerOptions, config: Config): Promise<UiFiles | undefined> {
  const built = fileURLToPath(new URL('./ui', import.meta.url))
  return UiFiles.open(new NodeDisk(), uiFolder ?? built, config)
}

/** For what reads the store to its end, such as the processes of SQL and query threads. */
function closedAfter(part: { close(): Promise<void> }, opened: OpenStore): OpenStore {
  const close = async () => {
    await part.close()
    await opened.close()
  }
  return { ...opened, close }
}

/** Run from its TypeScript sources, and in memory that only this thread sees, there are none. */
function queryThreads(
  { dataDir, jobs = 'workers', queryThreads: given }: ServerOptions,
  { queryThreadsMax }: Config,
): QueryThreadsOptions | undefined {
  if (given !== undefined) return given
  const isPossible = dataDir !== undefined && jobs === 'workers'
  if (!isPossible || queryThreadsMax === 0 || import.meta.url.endsWith('.ts')) return undefined
  return {
    // The serving thread has a core too.
    count: Math.min(Math.max(1, availableParallelism() - 1), queryThreadsMax),
    makePort: (listener) => new WorkerPort(listener, threadStarter('query-worker')),
  }
}

function outgoingRequests({ fluxPrivateHosts }: Config): OutgoingRequests {
  const addresses = new OutgoingAddresses({ arePrivateHostsAllowed: fluxPrivateHosts })
  return new OutgoingRequests(addresses, {
    timeoutSeconds: limits.outgoingTimeoutSeconds,
    timeoutSecondsMax: limits.outgoingTimeoutSecondsMax,
    requestBytesMax: limits.outgoingRequestBytesMax,
    responseBytesMax: limits.outgoingResponseBytesMax,
    redirectsMax: limits.outgoingRedirectsMax,
  })
}

function outgoingMails({ fluxPrivateHosts }: Config): OutgoingMails {
  const addresses = new OutgoingAddresses({ arePrivateHostsAllowed: fluxPrivateHosts })
  return new OutgoingMails(addresses, limits.notificationTimeoutSeconds)
}

function databasesOutside({ fluxPrivateHosts, fluxSqliteDir }: Config): DatabaseProcesses {
  return new DatabaseProcesses({
    addresses: new OutgoingAddresses({ arePrivateHostsAllowed: fluxPrivateHosts }),
    sqliteFolder: fluxSqliteDir,
    limits: {
      connectSecondsMax: limits.sqlConnectSecondsMax,
      sessionSecondsMax: limits.sqlSessionSecondsMax,
      sessionsMax: limits.sqlSessionsMax,
      receivedBytesMax: limits.sqlReceivedBytesMax,
    },
  })
}

function serverConfig(options: ServerOptions): Config {
  const given = Object.entries(options).filter(
    ([key, value]) => key in defaultConfig && value !== undefined,
  )
  return {
    ...defaultConfig,
    httpAddress: { host: '127.0.0.1', port: 0 },
    ...Object.fromEntries(given),
    memory: options.dataDir === undefined,
  }
}

interface AccessParts {
  readonly catalog: Catalog
  readonly clock: Clock
  readonly config: Config
  readonly cluster: ClusterParts | undefined
}

async function findV1Login(catalog: Catalog, username: string): Promise<Login | undefined> {
  const login = await catalog.legacyTokens.findLogin(username)
  if (login === undefined) return undefined
  const { token, passwordHash } = login
  return { passwordHash, standing: () => standingOf(catalog, token) }
}

function joinAccess({ catalog, clock, config, cluster }: AccessParts) {
  const { adminToken, passwordHashCost } = config
  const passwords = new Passwords(systemRandom, passwordHashCost)
  const identity: Identity = {
    tokenId: undefined,
    orgId: undefined,
    userId: undefined,
    permissions: operatorPermissions(),
  }
  const authenticator = new Authenticator({
    lookup: async (hash) => {
      const token = await catalog.tokens.findByHash(hash)
      return token === undefined ? undefined : standingOf(catalog, token)
    },
    // The cluster has no users: what comes with a name is a token.
    lookupLogin: cluster === undefined ? (username) => findV1Login(catalog, username) : undefined,
    readToken: cluster && databaseTokenReader(catalog, cluster.homeOrgId, cluster.databaseTokenKey),
    passwords,
    clock,
    isCurrent: catalog.nodes && (() => catalog.nodes?.isCurrent === true),
    admin: adminToken === undefined ? undefined : { token: adminToken, identity },
    cacheBytesMax: limits.tokenCacheBytesMax,
    tokenBytesMax: limits.tokenBytesMax,
  })
  const forget = () => authenticator.forget()
  catalog.on('tokens-changed', forget)
  catalog.on('users-changed', forget)
  catalog.on('memberships-changed', forget)
  catalog.on('organizations-changed', forget)
  // Database tokens name databases: one that was made, renamed or deleted may be one of theirs.
  if (cluster !== undefined) catalog.on('buckets-changed', forget)
  return { authenticator, passwords }
}

interface ClusterParts {
  readonly homeOrgId: string
  readonly databaseTokenKey: Uint8Array
  readonly firstToken: string | undefined
}

/**
 * A cluster has no set-up: its organization, the key of its database tokens, and a token where
 * nothing else lets anybody in, are made here.
 */
async function prepareCluster(catalog: Catalog, config: Config): Promise<ClusterParts> {
  return catalog.inTransaction(async (inside) => {
    const org =
      (await inside.organizations.findFirst()) ??
      (await inside.organizations.create({ name: 'default' }))
    const databaseTokenKey = await inside.databaseTokens.key(org.id, databaseTokenKeyBytes)
    if (config.adminToken !== undefined || (await inside.tokens.exists())) {
      return { homeOrgId: org.id, databaseTokenKey, firstToken: undefined }
    }
    const firstToken = newToken(systemRandom)
    await inside.tokens.create({
      tokenHash: hashToken(firstToken),
      orgId: org.id,
      userId: undefined,
      description: firstDescription,
      permissions: operatorPermissions(),
    })
    return { homeOrgId: org.id, databaseTokenKey, firstToken }
  })
}

/**
 * How often connections that fell idle are looked for while stopping: a client would keep them
 * open.
 */
const idleSweepMs = 20

interface Listening {
  readonly http: HttpServer
  readonly flight: Flight
  readonly port: SharedPort
}

async function stop(
  { http, flight, port }: Listening,
  opened: OpenStore,
  graceSeconds: number,
): Promise<void> {
  port.closeSilent()
  const flightClosed = flight.close(graceSeconds * 1000)
  const sweep = setInterval(() => http.server.closeIdleConnections(), idleSweepMs)
  const grace = setTimeout(() => {
    http.server.closeAllConnections()
    port.closeOthers()
  }, graceSeconds * 1000)
  try {
    await http.close()
    await flightClosed
  } finally {
    clearInterval(sweep)
    clearTimeout(grace)
    await opened.close()
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= work()
    return done
  }
}

/** `self`: what this machine is called where the server listens on all its addresses. */
function urlOf({ httpAddress, tlsCert }: Config, port: number, self = '127.0.0.1'): string {
  const { host } = httpAddress
  const reachable = host === '0.0.0.0' || host === '::' ? self : host
  const scheme = tlsCert === undefined ? 'http' : 'https'
  return `${scheme}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

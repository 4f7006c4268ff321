// Every option and every limit of the service, each with its unit, its default and the reason for
// it. Flags win over `MILLRACE_*` environment variables, these over the config file, this over the
// defaults. This file only judges values: whoever starts the service hands in the arguments, the
// environment and the file's content. length: one table of options and one of limits, which nobody should have to look
// for in two places.

import {
  choice,
  type HttpAddress,
  integer,
  type OptionValue,
  onOff,
  parseAddress,
  parseBasePath,
  parseCatalog,
  parseStore,
  parseToken,
  text,
} from './config-values.js'
import { UserError } from './errors.js'

export type { HttpAddress } from './config-values.js'

export type Variant = 'managed' | 'cluster'
export type Role = 'all' | 'ingest' | 'query'
export type Plan = 'unlimited' | 'free'
/** What points are kept in, by name or by address: see store/engines/open-store.ts. */
export type StoreEngine = string
export type UdpPrecision = 'ns' | 'us' | 'ms' | 's'
export type LogLevel = 'error' | 'warn' | 'info' | 'debug'

export interface Config {
  readonly variant: Variant
  /** What a process of the cluster variant does. */
  readonly role: Role
  readonly httpAddress: HttpAddress
  /** Files in PEM form, both or neither. Absent: connections are not encrypted. */
  readonly tlsCert: string | undefined
  readonly tlsKey: string | undefined
  /** What URLs of browsers begin with behind a proxy: empty, or `/` and names without a slash at the end. */
  readonly basePath: string
  readonly noUi: boolean
  readonly dataDir: string
  readonly store: StoreEngine
  /** Where the password of a store elsewhere stands. Absent: in its address. */
  readonly storePasswordFile: string | undefined
  /** Replicas of a shard that must have a write before it is acknowledged. 0: those that are there. */
  readonly writeQuorum: number
  /** The URL of a PostgreSQL database for everything but points. Absent: a file in the data folder. */
  readonly catalog: string | undefined
  /** Where the password of that database stands. Absent: in the URL, or in what its client reads by itself. */
  readonly catalogPasswordFile: string | undefined
  /** What this process is called among those that share a catalog. Absent: a name made by chance. */
  readonly nodeId: string | undefined
  /** How long `/health` tells that the service is about to stop before it does. */
  readonly drainSeconds: number
  readonly maxBodyBytes: number
  readonly plan: Plan
  /** Absent: no token is valid before set-up. */
  readonly adminToken: string | undefined
  readonly logLevel: LogLevel
  readonly memory: boolean
  /** Whether to go on with a catalog that has lost what was acknowledged. */
  readonly acceptLostCatalog: boolean
  readonly writeAtomic: boolean
  readonly writeRequestsMax: number
  readonly writeBytesMax: number
  /** Of one write. */
  readonly writeMeasurementsMax: number
  readonly writeFieldsMax: number
  readonly writeSeriesMax: number
  readonly writeTagsMax: number
  readonly writeShardsMax: number
  /** Of everything that is stored, and of one organization. */
  readonly seriesMax: number
  readonly measurementsMax: number
  readonly fieldsMax: number
  readonly orgSeriesMax: number
  readonly orgMeasurementsMax: number
  readonly orgFieldsMax: number
  readonly reservedBytes: number
  readonly walArchive: string | undefined
  readonly scrubBytesPerSecond: number
  /** Of each password; see `access/passwords.ts`. */
  readonly passwordHashCost: number
  readonly requestTimeoutSeconds: number
  readonly shutdownGraceSeconds: number
  /** Of queries; 0 in any of these: no limit. */
  readonly queryTimeoutSeconds: number
  readonly queryConcurrentMax: number
  readonly queryPointsMax: number
  readonly querySeriesMax: number
  readonly queryBucketsMax: number
  readonly queryMemoryBytesMax: number
  /** Of all queries together; 0: half of what the machine has. */
  readonly queryMemoryBytes: number
  readonly scanThreadsMax: number
  readonly queryThreadsMax: number
  /** Absent: two fewer than there are cores, at most two. */
  readonly parseThreads: number | undefined
  /** Whether tasks, checks and notification rules are kept but not run. */
  readonly noTasks: boolean
  readonly tasksConcurrentMax: number
  /** Of one run of a task that sets none itself; 0: no limit. */
  readonly taskTimeoutSeconds: number
  /** Whether scripts may reach loopback and private networks. */
  readonly fluxPrivateHosts: boolean
  /** Where line protocol is taken in packets. Absent: nowhere. */
  readonly udpAddress: HttpAddress | undefined
  /** The bucket, or the database of the cluster variant, that they are written to. */
  readonly udpBucket: string
  readonly udpPrecision: UdpPrecision
  /** Of the socket; 0: as the system has it. */
  readonly udpReadBufferBytes: number
  /** Where SQLite files are that scripts may read and write. Absent: they may use none. */
  readonly fluxSqliteDir: string | undefined
}

/**
 * Limits that nobody needs to set: they bound memory, and their defaults fit every size of
 * installation.
 */
export const limits = {
  /** Runs of one task that are made up for after the service was down, where the task wants all. */
  taskCatchUpMax: 1000,
  /** Bytes of request buffers kept for the next requests. Two dozen of the usual 1-2 MB batches. */
  bodyPoolBytes: 64 * 1024 * 1024,
  /** Bytes of a query's body. A statement of a megabyte would be absurd, a list of many is not. */
  queryBodyBytes: 10 * 1024 * 1024,
  /**
   * Names, fields or series that are held at a time to answer one question: ten million series with their tags are
   * some gigabytes, and no client reads them.
   */
  schemaEntriesMax: 10_000_000,
  /** Who watch points as they are written, at once: each has a connection, and every write is printed for it. */
  pointWatchersMax: 100,
  /**
   * Calls of functions in one run of a Flux script. Some dozens of lines can ask for 2^30 of them; map and filter make
   * one or two per row, and 10 million of those take about a second.
   */
  fluxStepsMax: 500_000_000,
  /**
   * Requests that Flux scripts make of other services: seconds where the script names none and where it names too many.
   * A query waits for them, row by row.
   */
  outgoingTimeoutSeconds: 30,
  outgoingTimeoutSecondsMax: 300,
  /** Bytes of such a request's body: a notification is a page of JSON. */
  outgoingRequestBytesMax: 32 * 1024 * 1024,
  /** Bytes of the answer's body, unpacked: as long as the longest text that a script may hold. */
  outgoingResponseBytesMax: 64 * 1024 * 1024,
  /** As many as other clients follow. */
  outgoingRedirectsMax: 10,
  /** Seconds that one try to deliver a notification may take: below the lease of who delivers it. */
  notificationTimeoutSeconds: 10,
  /** Milliseconds before each further try: a receiver that restarts is back by then. */
  notificationRetryMs: [1000, 5000, 30_000, 120_000],
  /** Seconds until a database that a script names has answered; a host that drops packets never does. */
  sqlConnectSecondsMax: 10,
  /** Seconds of one script's session with such a database. Longer exports belong in its own tools. */
  sqlSessionSecondsMax: 600,
  /** Such sessions at once: each is a process of about 50 MB. */
  sqlSessionsMax: 32,
  /** Bytes that it may send in one session: rows are streamed, so this bounds work and not memory. */
  sqlReceivedBytesMax: 1024 * 1024 * 1024,
  /** SQL statements that run at once, others wait: each has a process, which may take its query's memory. */
  sqlEnginesMax: 16,
  /** Seconds that a statement waits for its turn. */
  sqlEngineWaitSecondsMax: 30,
  /** Seconds that a process waits for a statement: it takes 90 MB, of which 25 MB are not shared with others. */
  sqlEngineIdleSecondsMax: 300,
  /** Seconds that a write waits for its place: agents give up after five. */
  writeWaitSecondsMax: 2,
  /** Seconds that a heavy query waits for its place among those that compute at the same time. */
  heavyQueryWaitSecondsMax: 60,
  /** Bytes of a request's first line and headers: queries of dashboards come in URLs. InfluxDB takes as many. */
  headerBytes: 1024 * 1024,
  /** Bytes of a JSON body. The largest legitimate ones (dashboards, templates) stay far below. */
  jsonBodyBytes: 4 * 1024 * 1024,
  /** Samples in an answer to Prometheus, which is made as a whole: about 100 MB. */
  prometheusSamplesMax: 5_000_000,
  /** Backups taken at the same time: each reads the store at the speed of its disk. */
  backupsMax: 4,
  /** Bytes of prepared queries that are cached: some hundred of a dashboard's. */
  preparedBytesMax: 16 * 1024 * 1024,
  /**
   * Bytes of a body that is worth handing to a thread that parses, which costs tens of microseconds on either side, and
   * makes commits smaller. Bodies of 100 KB took 16 % more CPU there in all, those of 350 KB the same as here.
   */
  largeBodyBytes: 256 * 1024,
  /** Bytes of such bodies within a second for which a thread is begun: it takes ten megabytes. */
  parseStartBytes: 1024 * 1024,
  /**
   * Buckets whose parser keeps what it learnt. Beyond it the one unused for longest starts afresh.
   */
  parsersMax: 32,
  /** Bytes that all parsers together keep from request to request. */
  parserBytesMax: 256 * 1024 * 1024,
  /** Bytes of series keys that one parser keeps: a million of the usual ones. */
  parserSeriesBytes: 128 * 1024 * 1024,
  /**
   * Bytes that the lines of one write may take as columns at a time: a write that would take more (75,000 rows of ten
   * fields, or 30,000 new series) is stored in pieces. What a piece takes on its way to the disk is a few times this.
   */
  writeTableBytes: 8 * 1024 * 1024,
  /** A write that has had so many columns with few values each, in all and a measurement, goes on in smaller pieces. */
  wideWriteColumns: 4096,
  wideTableColumns: 64,
  /** A write that is stored whole or not at all may take so many times its size: rows of one short field take five. */
  atomicTableTimes: 6,
  /** Bytes of lists that are cached as JSON: a few hundred pages of the usual length. */
  listCacheBytesMax: 8 * 1024 * 1024,
  /** Bytes of identities that are cached by their token. One that is not costs a catalog lookup more. */
  tokenCacheBytesMax: 32 * 1024 * 1024,
  /**
   * Bytes of a token. Longer ones were never issued, so hashing them would be work for an attacker.
   */
  tokenBytesMax: 4096,
  /** Files that are imported over HTTP at once, for one organization and in all, and ended ones that are remembered. */
  importsOfOrganizationMax: 8,
  importsMax: 64,
  importsKept: 100,
  /** Bytes of such a file; of one that has to be whole before it can be read, and lies on the disk until then. */
  importBytesMax: 1024 * 1024 * 1024 * 1024,
  importFileBytesMax: 8 * 1024 * 1024 * 1024,
  /** Seconds until an import that nobody sends anything for is given up. */
  importIdleSecondsMax: 600,
  /** Columns of a file that are shown: those of people, not those of machines. */
  importColumnsShown: 1000,
  /** Bytes of each of the two files of lines that a remote refused for good: enough to see what is wrong with them. */
  replicationRefusedBytesMax: 32 * 1024 * 1024,
  /** Milliseconds between two tries of a replication, also where the remote asks for longer ones. */
  replicationPauseMsMax: 3_600_000,
  /** Bytes of packets that wait to be written: seconds of a fast sender. More are dropped and counted. */
  udpPendingBytesMax: 16 * 1024 * 1024,
  /** Bytes of one answer of a scraped target, and targets that are asked at the same time. */
  scrapeBytesMax: 16 * 1024 * 1024,
  scrapesMax: 8,
  /** Rejected points reported per failed write, as the interface promises. */
  reportedErrorsMax: 100,
  /**
   * Idle seconds after which a kept-alive connection is closed: above the 60 s of usual load
   * balancers.
   */
  keepAliveSeconds: 72,
} as const

interface Option<T> extends OptionValue<T> {
  readonly key: keyof Config
  readonly flag: string
  /** How the value is written in help texts; empty for switches. */
  readonly placeholder: string
  readonly default: T
  readonly help: string
}

export const options: readonly Option<unknown>[] = [
  {
    key: 'variant',
    flag: 'variant',
    placeholder: 'managed|cluster',
    default: 'managed',
    help: 'which of the two interfaces to serve; managed has the resource API, as InfluxDB 2 does',
    ...choice<Variant>(['managed', 'cluster']),
  },
  {
    key: 'role',
    flag: 'role',
    placeholder: 'all|ingest|query',
    default: 'all',
    help: 'what a process of the cluster variant does; ingest only takes writes, query only answers queries',
    ...choice<Role>(['all', 'ingest', 'query']),
  },
  {
    key: 'httpAddress',
    flag: 'http-address',
    placeholder: 'HOST:PORT',
    default: { host: '127.0.0.1', port: 8086 },
    help: 'where to listen; 8086 is where clients look, and only this machine gets in by default',
    parse: parseAddress,
    expected: 'HOST:PORT, for example 127.0.0.1:8086 or :8086',
  },
  {
    key: 'tlsCert',
    flag: 'tls-cert',
    placeholder: 'FILE',
    default: undefined,
    help: 'the certificate to encrypt connections with, as PEM; needs --tls-key',
    ...text,
  },
  {
    key: 'tlsKey',
    flag: 'tls-key',
    placeholder: 'FILE',
    default: undefined,
    help: 'the private key of the certificate, as PEM',
    ...text,
  },
  {
    key: 'basePath',
    flag: 'base-path',
    placeholder: 'PATH',
    default: '',
    help: 'the path that a proxy serves this under, for example /metrics-db; for cookies and pages',
    parse: parseBasePath,
    expected: 'a path such as /metrics-db: letters, digits and . _ ~ - between slashes',
  },
  {
    key: 'noUi',
    flag: 'no-ui',
    placeholder: '',
    default: false,
    help: 'serve the interfaces only, without the pages of the web UI',
    ...onOff,
  },
  {
    key: 'dataDir',
    flag: 'data-dir',
    placeholder: 'DIR',
    default: './millrace-data',
    help: 'the folder that holds everything; made when missing',
    ...text,
  },
  {
    key: 'maxBodyBytes',
    flag: 'max-body',
    placeholder: 'BYTES',
    default: 25_000_000,
    help: 'largest body of a write, packed and unpacked; clients split at this default',
    ...integer(1, 1_000_000_000),
  },
  {
    key: 'plan',
    flag: 'plan',
    placeholder: 'unlimited|free',
    default: 'unlimited',
    help: 'quotas of organizations; free allows two buckets',
    ...choice<Plan>(['unlimited', 'free']),
  },
  {
    key: 'adminToken',
    flag: 'admin-token',
    placeholder: 'TOKEN',
    default: undefined,
    help: 'a token that may do everything, valid before set-up; set-up adopts it',
    parse: parseToken,
    expected: 'printable characters without spaces, at most 4096',
  },
  {
    key: 'logLevel',
    flag: 'log-level',
    placeholder: 'error|warn|info|debug',
    default: 'info',
    help: 'the least important messages to log',
    ...choice<LogLevel>(['error', 'warn', 'info', 'debug']),
  },
  {
    key: 'memory',
    flag: 'memory',
    placeholder: '',
    default: false,
    help: 'keep everything in memory and forget it at the end; for trying out and for tests',
    ...onOff,
  },
  {
    key: 'writeAtomic',
    flag: 'write-atomic',
    placeholder: '',
    default: false,
    help: 'write nothing of a body that holds a malformed line or a point that is refused (default: keep the others)',
    ...onOff,
  },
  {
    key: 'writeRequestsMax',
    flag: 'write-requests-max',
    placeholder: 'COUNT',
    default: 256,
    help: 'writes under way at once, others get 503; enough for hundreds of agents',
    ...integer(1, 100_000),
  },
  {
    key: 'writeBytesMax',
    flag: 'write-bytes-max',
    placeholder: 'BYTES',
    default: 256 * 1024 * 1024,
    help: 'bytes of all writes under way, others get 503; bounds the memory of request bodies',
    ...integer(1, 64_000_000_000),
  },
  {
    key: 'writeMeasurementsMax',
    flag: 'write-measurements-max',
    placeholder: 'COUNT',
    default: 10_000,
    help: 'measurements in one write, lines of others are refused; each takes kilobytes, whatever its points take',
    ...integer(1, 10_000_000),
  },
  {
    key: 'writeFieldsMax',
    flag: 'write-fields-max',
    placeholder: 'COUNT',
    default: 100_000,
    help: 'fields of all measurements in one write, lines with others are refused; each is a column of its own',
    ...integer(1, 10_000_000),
  },
  {
    key: 'writeSeriesMax',
    flag: 'write-series-max',
    placeholder: 'COUNT',
    default: 250_000,
    help: 'series that one write may add, points of others are refused; each takes memory for as long as it has points',
    ...integer(1, 20_000_000),
  },
  {
    key: 'writeTagsMax',
    flag: 'write-tags-max',
    placeholder: 'COUNT',
    default: 20_000,
    help: 'tag keys that one write may add to measurements, points of further series are refused',
    ...integer(1, 10_000_000),
  },
  {
    key: 'writeShardsMax',
    flag: 'write-shards-max',
    placeholder: 'COUNT',
    default: 1000,
    help: 'shards that the points of one write may lie in, others are refused; 1000 are 19 years of weeks',
    ...integer(1, 1_000_000),
  },
  {
    key: 'seriesMax',
    flag: 'series-max',
    placeholder: 'COUNT',
    default: 50_000_000,
    help: 'series of all buckets, points of further ones are refused; each takes some 130 bytes of memory',
    ...integer(1, 2 ** 31),
  },
  {
    key: 'measurementsMax',
    flag: 'measurements-max',
    placeholder: 'COUNT',
    default: 2_000_000,
    help: 'measurements of all buckets, points of further ones are refused; each takes some kilobytes',
    ...integer(1, 2 ** 31),
  },
  {
    key: 'fieldsMax',
    flag: 'fields-max',
    placeholder: 'COUNT',
    default: 10_000_000,
    help: 'fields of all measurements of all buckets, points with further ones are refused',
    ...integer(1, 2 ** 31),
  },
  {
    key: 'orgSeriesMax',
    flag: 'org-series-max',
    placeholder: 'COUNT',
    default: 20_000_000,
    help: 'series of all buckets of one organization, points of further ones are refused',
    ...integer(1, 2 ** 31),
  },
  {
    key: 'orgMeasurementsMax',
    flag: 'org-measurements-max',
    placeholder: 'COUNT',
    default: 1_000_000,
    help: 'measurements of all buckets of one organization, points of further ones are refused',
    ...integer(1, 2 ** 31),
  },
  {
    key: 'orgFieldsMax',
    flag: 'org-fields-max',
    placeholder: 'COUNT',
    default: 5_000_000,
    help: 'fields of all measurements of one organization, points with further ones are refused',
    ...integer(1, 2 ** 31),
  },
  {
    key: 'walArchive',
    flag: 'wal-archive',
    placeholder: 'DIR',
    default: undefined,
    help: 'a folder that logs are copied into before they are removed, for a restore to any moment',
    ...text,
  },
  {
    key: 'reservedBytes',
    flag: 'reserved-bytes',
    placeholder: 'BYTES',
    default: 1 << 20,
    help: 'room on the disk that is kept back, so that points can be deleted when it is full; 0 for none',
    ...integer(0, 2 ** 40),
  },
  {
    key: 'scrubBytesPerSecond',
    flag: 'scrub-bytes-per-second',
    placeholder: 'BYTES',
    default: 1 << 20,
    help: 'how fast the files are read, once a day, to find damage before a query does; 0 for never',
    ...integer(0, 2 ** 40),
  },
  {
    key: 'passwordHashCost',
    flag: 'password-hash-cost',
    placeholder: 'LOG2',
    // 32 MB and about 0.1 s for each guess.
    default: 15,
    help: 'work to check a password, one more doubles its time and memory; holds for those set from then on',
    ...integer(10, 20),
  },
  {
    key: 'requestTimeoutSeconds',
    flag: 'request-timeout',
    placeholder: 'SECONDS',
    default: 300,
    help: 'time to receive a whole request; ends clients that never finish sending',
    ...integer(1, 86_400),
  },
  {
    key: 'shutdownGraceSeconds',
    flag: 'shutdown-grace',
    placeholder: 'SECONDS',
    default: 10,
    help: 'time that requests under way get to finish when the service stops',
    ...integer(0, 3600),
  },
  {
    key: 'queryTimeoutSeconds',
    flag: 'query-timeout',
    placeholder: 'SECONDS',
    default: 0,
    help: 'time that a query may run; 0 for no limit, as long exports are legitimate',
    ...integer(0, 86_400),
  },
  {
    key: 'queryConcurrentMax',
    flag: 'query-concurrent-max',
    placeholder: 'COUNT',
    default: 512,
    help: 'queries under way at once, others get 429, three quarters of an organization at most; 0 for no limit',
    ...integer(0, 100_000),
  },
  {
    key: 'queryPointsMax',
    flag: 'query-points-max',
    placeholder: 'COUNT',
    default: 0,
    help: 'points that one SELECT or script may read; 0 for no limit, as reading takes time and not memory',
    ...integer(0, 1_000_000_000_000),
  },
  {
    key: 'querySeriesMax',
    flag: 'query-series-max',
    placeholder: 'COUNT',
    default: 0,
    help: 'series that one SELECT may touch; 0 for no limit',
    ...integer(0, 1_000_000_000),
  },
  {
    key: 'queryBucketsMax',
    flag: 'query-buckets-max',
    placeholder: 'COUNT',
    default: 0,
    help: 'windows that GROUP BY time() may make in one SELECT; 0 for no limit',
    ...integer(0, 1_000_000_000),
  },
  {
    key: 'queryMemoryBytesMax',
    flag: 'query-memory-max',
    placeholder: 'BYTES',
    default: 512 * 1024 * 1024,
    help: 'what one query may hold while it groups and sorts; keeps the service up; 0 for no limit',
    ...integer(0, 64_000_000_000),
  },
  {
    key: 'queryMemoryBytes',
    flag: 'query-memory',
    placeholder: 'BYTES',
    default: 0,
    help: 'what all queries may hold together, engines of SQL included, others get 503; 0 for half of the memory',
    ...integer(0, 4_000_000_000_000),
  },
  {
    key: 'store',
    flag: 'store',
    placeholder: 'embedded|plain|URL',
    default: 'embedded',
    help: 'what points are kept in: a folder, or clickhouse://USER@HOST:PORT/DATABASE; plain is for tests',
    parse: parseStore,
    expected: 'one of embedded, plain, or a URL such as clickhouse://user@host:8123/database',
  },
  {
    key: 'storePasswordFile',
    flag: 'store-password-file',
    placeholder: 'FILE',
    default: undefined,
    help: 'the file that holds the password of the store; its first line counts',
    ...text,
  },
  {
    key: 'writeQuorum',
    flag: 'write-quorum',
    placeholder: 'COUNT',
    default: 0,
    help: 'replicas of a shard of the store that must have a write, else 503; 0 for those that are there',
    ...integer(0, 16),
  },
  {
    key: 'catalog',
    flag: 'catalog',
    placeholder: 'URL',
    default: undefined,
    help: 'postgres://USER@HOST/DATABASE for everything but points, to be shared (default: a file in the data folder)',
    parse: parseCatalog,
    expected: 'a URL such as postgres://user@host:5432/database',
  },
  {
    key: 'catalogPasswordFile',
    flag: 'catalog-password-file',
    placeholder: 'FILE',
    default: undefined,
    help: 'the file that holds the password of the catalog; its first line counts',
    ...text,
  },
  {
    key: 'nodeId',
    flag: 'node-id',
    placeholder: 'NAME',
    default: undefined,
    help: 'the name of this process among those that share a catalog (default: one made by chance)',
    parse: (name) => (/^[\w.-]{1,40}$/.test(name) ? name : undefined),
    expected: 'up to 40 letters, digits and . _ -',
  },
  {
    key: 'drainSeconds',
    flag: 'drain-seconds',
    placeholder: 'SECONDS',
    default: 0,
    help: 'time between the signal to stop and the end, in which only /health says so; for balancers',
    ...integer(0, 3600),
  },
  {
    key: 'acceptLostCatalog',
    flag: 'accept-lost-catalog',
    placeholder: '',
    default: false,
    help: 'start with a catalog that has lost changes, or is empty beside points; once, see docs/recovery.md',
    ...onOff,
  },
  {
    key: 'scanThreadsMax',
    flag: 'scan-threads',
    placeholder: 'COUNT',
    default: 4,
    help: 'threads that big scans are shared by, at most as many as there are cores; 0 keeps them on the main thread',
    ...integer(0, 64),
  },
  {
    key: 'queryThreadsMax',
    flag: 'query-threads',
    placeholder: 'COUNT',
    default: 4,
    help: 'threads that long queries run on while others are served, at most one less than there are cores; 0 for none',
    ...integer(0, 64),
  },
  {
    key: 'parseThreads',
    flag: 'parse-threads',
    placeholder: 'COUNT',
    default: undefined,
    help: 'threads that parse large writes while they keep coming (default: two fewer than cores, at most 2)',
    ...integer(0, 64),
  },
  {
    key: 'noTasks',
    flag: 'no-tasks',
    placeholder: '',
    default: false,
    help: 'keep tasks, checks, rules and continuous queries, but run none of them (default: run them)',
    ...onOff,
  },
  {
    key: 'tasksConcurrentMax',
    flag: 'tasks-concurrent-max',
    placeholder: 'COUNT',
    default: 4,
    help: 'runs of tasks under way at once, others wait; few, so that queries and writes are not slowed',
    ...integer(1, 100),
  },
  {
    key: 'taskTimeoutSeconds',
    flag: 'task-timeout',
    placeholder: 'SECONDS',
    default: 3600,
    help: 'time that a run of a task may take if the task sets none itself; 0 for no limit',
    ...integer(0, 1_000_000),
  },
  {
    key: 'fluxPrivateHosts',
    flag: 'flux-private-hosts',
    placeholder: '',
    default: false,
    help: 'let Flux scripts reach this machine and private networks (default: only the public internet)',
    ...onOff,
  },
  {
    key: 'udpAddress',
    flag: 'udp-address',
    placeholder: 'HOST:PORT',
    default: undefined,
    help: 'where to take line protocol in UDP packets, from whoever can send one (default: nowhere)',
    parse: parseAddress,
    expected: 'HOST:PORT, for example 127.0.0.1:8089',
  },
  {
    key: 'udpBucket',
    flag: 'udp-bucket',
    placeholder: 'NAME|ORG/NAME|ID',
    default: 'udp',
    help: 'the bucket of such points, in the first organization if none is named; it must be there',
    ...text,
  },
  {
    key: 'udpPrecision',
    flag: 'udp-precision',
    placeholder: 'ns|us|ms|s',
    default: 'ns',
    help: 'of the times in such packets',
    ...choice<UdpPrecision>(['ns', 'us', 'ms', 's']),
  },
  {
    key: 'udpReadBufferBytes',
    flag: 'udp-read-buffer',
    placeholder: 'BYTES',
    default: 0,
    help: 'what the system keeps of packets until they are read; 0 for its default, which bursts overflow',
    ...integer(0, 1_000_000_000),
  },
  {
    key: 'fluxSqliteDir',
    flag: 'flux-sqlite-dir',
    placeholder: 'DIR',
    default: undefined,
    help: 'the folder of SQLite files that Flux scripts may read and write (default: they may use none)',
    ...text,
  },
]

export const defaultConfig: Config = Object.fromEntries(
  options.map((option) => [option.key, option.default]),
) as unknown as Config

/** Values by flag name, as the command line gave them; switches without a value read `true`. */
export type Flags = ReadonlyMap<string, string>

/** What is known of a flag where arguments are read. */
export interface KnownFlag {
  readonly flag: string
  /** What stands for its value in help; empty: a switch. */
  readonly placeholder: string
  /** May be given several times: the values are lines of one text then. */
  readonly repeats?: boolean
}

/**
 * Splits `--name value`, `--name=value` and switches. Names outside `known` and values left out are
 * errors that name the flag.
 */
export function parseFlags(args: readonly string[], known: readonly KnownFlag[]): Flags {
  const flags = new Map<string, string>()
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]
    if (!arg.startsWith('--')) throw new UserError('invalid', `unexpected argument "${arg}"`)
    const equals = arg.indexOf('=')
    const name = equals < 0 ? arg.slice(2) : arg.slice(2, equals)
    const option = findFlag(name, known)
    if (option === undefined) throw new UserError('invalid', `unknown flag --${name}`)
    const { flag, placeholder, repeats = false } = option
    const before = flags.get(flag)
    if (before !== undefined && !repeats) {
      throw new UserError('invalid', `flag --${name} is given twice`)
    }
    let value = 'true'
    if (equals >= 0) value = arg.slice(equals + 1)
    else if (placeholder !== '') {
      // A token may begin with dashes: only a flag that there is says that the value was left out.
      if (i + 1 >= args.length || isFlag(args[i + 1], known)) {
        throw new UserError('invalid', `flag --${name} needs a value: ${placeholder}`)
      }
      value = args[++i]
    }
    flags.set(flag, before === undefined ? value : `${before}\n${value}`)
  }
  return flags
}

function isFlag(arg: string, known: readonly KnownFlag[]): boolean {
  return arg.startsWith('--') && findFlag(arg.slice(2).split('=', 1)[0], known) !== undefined
}

/** By its name, which may also be written as a file of settings has it: --skipHeader. */
export function findFlag<T extends KnownFlag>(name: string, known: readonly T[]): T | undefined {
  return known.find(
    ({ flag }) =>
      flag === name || flag.replace(/-(.)/g, (_, letter) => letter.toUpperCase()) === name,
  )
}

export const configFlag = {
  flag: 'config',
  placeholder: 'FILE',
  help: 'a JSON file with the same names as keys (http-address or httpAddress)',
} as const

/** The flags that `serve` knows. */
export const serveFlags = [...options, configFlag]

export interface ConfigSources {
  readonly flags?: Flags
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** The parsed content of the config file. */
  readonly file?: unknown
}

/** The file named by the flag or the environment, if any. */
export function configFileName(sources: ConfigSources): string | undefined {
  return sources.flags?.get(configFlag.flag) ?? (sources.environment?.MILLRACE_CONFIG || undefined)
}

export function environmentName(flag: string): string {
  return `MILLRACE_${flag.replaceAll('-', '_').toUpperCase()}`
}

/** Throws UserError that names the flag, the variable or the key whose value is wrong. */
export function resolveConfig(sources: ConfigSources): Config {
  const file = fileValues(sources.file)
  const config: Record<string, unknown> = {}
  for (const option of options) {
    // Unknown variables are no error: container platforms add some that start with a service's
    // name. An empty one counts as absent, for the same reason.
    const variable = environmentName(option.flag)
    const given: [name: string, value: string | undefined][] = [
      [`flag --${option.flag}`, sources.flags?.get(option.flag)],
      [variable, sources.environment?.[variable] || undefined],
      [`"${option.flag}" in the config file`, file.get(option.flag)],
    ]
    const first = given.find(([, value]) => value !== undefined)
    config[option.key] =
      first === undefined ? option.default : parseValue(option, first[0], first[1] as string)
  }
  return config as unknown as Config
}

function parseValue(option: Option<unknown>, name: string, value: string): unknown {
  const parsed = option.parse(value)
  if (parsed !== undefined) return parsed
  const isSecret = ['adminToken', 'catalog', 'store'].includes(option.key)
  const shown = isSecret ? 'its value' : `"${value}"`
  throw new UserError('invalid', `${name}: ${shown} is not ${option.expected}`)
}

/**
 * Values by flag name. Unknown keys are errors: a misspelt one would be ignored silently otherwise.
 */
function fileValues(file: unknown): Map<string, string> {
  const values = new Map<string, string>()
  if (file === undefined) return values
  if (typeof file !== 'object' || file === null || Array.isArray(file)) {
    throw new UserError('invalid', 'the config file must hold one JSON object')
  }
  for (const [key, value] of Object.entries(file)) {
    const flag = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    const option = options.find((candidate) => candidate.flag === flag || candidate.key === key)
    if (option === undefined) {
      throw new UserError('invalid', `unknown key "${key}" in the config file`)
    }
    if (!['string', 'number', 'boolean'].includes(typeof value)) {
      throw new UserError('invalid', `"${key}" in the config file: must be ${option.expected}`)
    }
    if (values.has(option.flag)) {
      throw new UserError('invalid', `"${key}" is given twice in the config file`)
    }
    values.set(option.flag, String(value))
  }
  return values
}

// Runs a script and gives its results as plain tables, for tests of the language and its library. The
// buckets are those of the world given along, or there is one, `b`, in an engine in memory.

import { UserError } from '../../src/errors.js'
import type { BucketReference, FluxLimits, FluxScope } from '../../src/flux/context/scope.js'
import { FluxLanguage } from '../../src/flux/flux.js'
import type { File } from '../../src/flux/syntax/ast.js'
import { fileToJson } from '../../src/flux/syntax/json.js'
import { parseTime } from '../../src/flux/value/time.js'
import { ManualClock } from '../../src/platform/clock.js'
import { seededRandom } from '../../src/platform/random.js'
import { parseJson } from '../../src/query/json-text.js'
import type {
  Prepared,
  QueryParameters,
  ResultPiece,
  TablePiece,
} from '../../src/query/language.js'
import { type Cell, type CellType, cellAt } from '../../src/query/table.js'
import { SqlLanguage } from '../../src/sql/sql.js'
import type { BucketId, Store } from '../../src/store/store.js'
import { EngineWorld } from '../store/engine-states.js'
import { outgoingRequests } from './outgoing.js'

export interface PlainColumn {
  readonly name: string
  readonly type: CellType
  readonly isGroup: boolean
}

export interface PlainTable {
  readonly columns: readonly PlainColumn[]
  /** Values of the group key by column. */
  readonly key: ReadonlyMap<string, Cell | null>
  /** One map per row: column → cell. */
  readonly rows: readonly ReadonlyMap<string, Cell | null>[]
}

export interface PlainResult {
  readonly name: string
  readonly tables: readonly PlainTable[]
}

export interface RunOptions {
  readonly store?: Store
  /** RFC3339. */
  readonly now?: string
  readonly params?: ReadonlyMap<string, unknown>
  readonly extern?: File
  readonly limits?: Partial<FluxLimits>
  readonly signal?: AbortSignal
  readonly scope?: Partial<FluxScope>
}

export const testBucket: BucketId = '00000000000000b1'

const defaultNow = '2030-01-01T00:00:00Z'

const noStore = new Proxy({} as Store, {
  get(_, name) {
    throw new Error(`the script was given no store, but asks for ${String(name)}`)
  },
})

export function testScope(options: RunOptions = {}): FluxScope {
  const now = parseTime(options.now ?? defaultNow)
  return {
    store: options.store ?? noStore,
    clock: new ManualClock(now),
    random: seededRandom(1),
    outgoing: outgoingRequests(),
    databasesOutside: {
      connect: async () => {
        throw new UserError('forbidden', 'this test reaches no database')
      },
    },
    limits: { ...noFluxLimits, ...options.limits },
    now,
    lastSuccess: undefined,
    bucket: async (reference) => bucketOf(reference),
    buckets: async () => [
      {
        id: testBucket,
        name: 'b',
        organizationId: '00000000000000c1',
        retentionPolicy: '',
        retentionNs: 0n,
      },
    ],
    databases: async () => [],
    secret: async (key) => {
      throw new UserError('not found', `secret "${key}" not found`)
    },
    write: async () => {
      throw new UserError('forbidden', 'this test does not write')
    },
    sql: (reference, query, signal) => askSql(options.store ?? noStore, reference, query, signal),
    usage: async () => {
      throw new UserError('forbidden', 'this test counts no usage')
    },
    organizationLimits: async () => {
      throw new UserError('forbidden', 'this test has no limits')
    },
    ...options.scope,
  }
}

export const flux = new FluxLanguage()

/** Its engines end with the test's process. */
const sql = new SqlLanguage()

async function* askSql(
  store: Store,
  reference: BucketReference,
  query: string,
  signal: AbortSignal,
): AsyncGenerator<ResultPiece, void, void> {
  const limits = { ...noQueryLimits, memoryBytesMax: 256_000_000 }
  const bucket = bucketOf(reference)
  const scope = { store, clock: new ManualClock(0n), limits, database: 'b' }
  yield* sql.prepare(query).run({ ...scope, bucket: async () => bucket }, signal)
}

const noFluxLimits = { timeoutSeconds: 0, pointsMax: 0, memoryBytesMax: 0, stepsMax: 1_000_000 }

const noQueryLimits = {
  timeoutSeconds: 0,
  pointsMax: 0,
  seriesMax: 0,
  bucketsMax: 0,
  concurrentMax: 0,
}

function bucketOf({ bucket, bucketId }: BucketReference): BucketId {
  if (bucket === 'b' || bucketId === testBucket) return testBucket
  throw new UserError('not found', `could not find bucket "${bucket ?? bucketId}"`)
}

/** What a request gives along with the script. */
function parametersOf({ params, extern }: RunOptions): QueryParameters {
  const json = extern && parseJson(JSON.stringify(fileToJson(extern)))
  return { values: params, extern: json }
}

/** The results in their order. Throws what the language throws. */
export async function runFlux(text: string, options: RunOptions = {}): Promise<PlainResult[]> {
  return runPrepared(flux.prepare(text, parametersOf(options)), options)
}

export async function runPrepared(
  prepared: Prepared<FluxScope, TablePiece>,
  options: RunOptions = {},
): Promise<PlainResult[]> {
  const signal = options.signal ?? new AbortController().signal
  const results: { name: string; tables: PlainTable[] }[] = []
  let rows: Map<string, Cell | null>[] = []
  let columns: readonly PlainColumn[] = []
  for await (const piece of prepared.run(testScope(options), signal)) {
    if (piece.kind === 'table') {
      if (piece.table === 0) results.push({ name: piece.name, tables: [] })
      rows = []
      columns = piece.columns.map(({ name, type, isGroup }) => ({ name, type, isGroup }))
      const key = new Map(
        piece.columns.filter(({ isGroup }) => isGroup).map(({ name, value }) => [name, value]),
      )
      results.at(-1)!.tables.push({ columns, key, rows })
      continue
    }
    for (let row = 0; row < piece.rowCount; row++) {
      rows.push(new Map(columns.map(({ name }, i) => [name, cellAt(piece.columns[i], row)])))
    }
  }
  return results
}

/** The rows of the only result, as objects that `toEqual` can compare. */
export async function runRows(
  text: string,
  options: RunOptions = {},
): Promise<Record<string, Cell | null>[]> {
  const results = await runFlux(text, options)
  if (results.length !== 1) throw new Error(`${results.length} results`)
  return results[0].tables.flatMap(({ rows }) => rows.map((row) => Object.fromEntries(row)))
}

/** The message of the error that the script ends with. */
export async function fluxError(text: string, options: RunOptions = {}): Promise<string> {
  try {
    await runFlux(text, options)
  } catch (error) {
    if (error instanceof UserError) return error.message
    throw error
  }
  throw new Error('the script ended well')
}

/** An engine in memory with line protocol (times in nanoseconds) in bucket `b`. */
export async function storeWith(lines: string): Promise<EngineWorld> {
  const world = await EngineWorld.open()
  const parser = world.parser(testBucket)
  const { batch, errors } = parser.parse(Buffer.from(lines), { precision: 'ns', now: 0n })
  if (errors.length > 0) throw new Error(errors[0].message)
  const { rejected } = await world.write(testBucket, batch)
  parser.release(batch)
  if (rejected.length > 0) throw new Error(rejected[0].reason)
  return world
}

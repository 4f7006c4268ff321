// One statement's DuckDB: an instance that nobody else uses while it runs, without access to files,
// extensions or settings, with memory and threads of its own limits. To start one takes some 100 ms, so a
// few are kept; a statement's tables are temporary ones of its connection and go with it.

import { UserError } from '../errors.js'
import {
  type Bindings,
  type DuckDBConnection,
  type DuckDBInstance,
  type DuckDBResult,
  loadBindings,
} from './bindings.js'
import { parserError } from './failure.js'
import { macros } from './macros.js'
import { parseTree, printTree, type TreeNode } from './tree.js'

const threads = 2
/** Of each size of memory, instances that wait for the next statement. */
const idleMax = 2
/** DuckDB itself needs some to start. */
const memoryBytesMin = 16 * 1000 * 1000

const idle = new Map<number, DuckDBInstance[]>()

export class Session {
  readonly bindings: Bindings
  readonly connection: DuckDBConnection
  readonly #instance: DuckDBInstance
  readonly #memoryBytesMax: number

  private constructor(
    bindings: Bindings,
    instance: DuckDBInstance,
    connection: DuckDBConnection,
    memoryBytesMax: number,
  ) {
    this.bindings = bindings
    this.connection = connection
    this.#instance = instance
    this.#memoryBytesMax = memoryBytesMax
  }

  /** 0: as much memory as DuckDB allows itself. */
  static async open(memoryBytesMax: number): Promise<Session> {
    const bindings = await loadBindings()
    const instance = idle.get(memoryBytesMax)?.pop() ?? (await start(bindings, memoryBytesMax))
    return new Session(bindings, instance, await instance.connect(), memoryBytesMax)
  }

  close(): void {
    this.connection.closeSync()
    const kept = idle.get(this.#memoryBytesMax) ?? []
    if (kept.length >= idleMax) {
      this.#instance.closeSync()
      return
    }
    kept.push(this.#instance)
    idle.set(this.#memoryBytesMax, kept)
  }

  /** The tree of a single query. */
  async parse(text: string): Promise<TreeNode> {
    const json = await this.#text('SELECT json_serialize_sql($1::VARCHAR)', text)
    const answer = parseTree(json) as ParseAnswer
    if (answer.error) {
      const offset = answer.position === undefined ? undefined : Number(answer.position)
      throw parserError(answer.error_message ?? 'syntax error', text, offset)
    }
    if (answer.statements?.length !== 1) {
      throw new UserError('invalid', 'Error while planning query: exactly one statement is needed')
    }
    return answer.statements[0].node
  }

  print(node: TreeNode): Promise<string> {
    const statements = [{ node, named_param_map: [] }]
    const json = printTree({ error: false, statements })
    return this.#text('SELECT json_deserialize_sql($1::JSON)', json)
  }

  async run(sql: string): Promise<void> {
    await this.connection.run(sql)
  }

  /** The first row. */
  async row(sql: string): Promise<readonly unknown[]> {
    const reader = await this.connection.runAndReadAll(sql)
    return reader.getRows()[0]
  }

  stream(sql: string): Promise<DuckDBResult> {
    return this.connection.stream(sql)
  }

  async #text(sql: string, argument: string): Promise<string> {
    const reader = await this.connection.runAndReadAll(sql, [argument])
    return reader.getRows()[0][0] as string
  }
}

interface ParseAnswer {
  readonly error: boolean
  readonly error_message?: string
  readonly position?: string
  readonly statements?: readonly { readonly node: TreeNode }[]
}

async function start({ api }: Bindings, memoryBytesMax: number): Promise<DuckDBInstance> {
  const memory = Math.ceil(Math.max(memoryBytesMax, memoryBytesMin) / 1000)
  const instance = await api.DuckDBInstance.create(':memory:', {
    threads: String(threads),
    ...(memoryBytesMax > 0 ? { memory_limit: `${memory}KB` } : {}),
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    default_null_order: 'nulls_last_on_asc_first_on_desc',
    temp_directory: '',
  })
  const connection = await instance.connect()
  try {
    await connection.run("SET GLOBAL TimeZone = 'UTC'")
    for (const macro of macros) await connection.run(macro)
    // In this order: nothing can be set behind the last one.
    await connection.run('SET GLOBAL enable_external_access = false')
    await connection.run('SET GLOBAL lock_configuration = true')
  } finally {
    connection.closeSync()
  }
  return instance
}

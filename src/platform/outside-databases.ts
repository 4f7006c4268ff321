// Sessions with databases outside, each in a process of its own. Where a script may connect to is decided here, before
// anything is started: hosts by their addresses, files by the folder that is set apart for scripts.

import { type ChildProcess, fork } from 'node:child_process'
import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { UserError } from '../errors.js'
import type { OutgoingAddresses } from './outgoing-address.js'
import type { ReachableTarget, SqlLimits, SqlReply, SqlRequest } from './sql-client.js'
import type {
  OutsideDatabases,
  SqlConnection,
  SqliteTarget,
  SqlParameter,
  SqlRow,
  SqlRows,
  SqlTarget,
} from './sql-connection.js'
import { SqlGuard } from './sql-guard.js'

export interface DatabaseProcessesOptions {
  readonly addresses: OutgoingAddresses
  /** Where SQLite's files are that scripts may use. undefined: there are none. */
  readonly sqliteFolder: string | undefined
  readonly limits: SqlLimits
  /** The program of a session. Default: the one beside this file. */
  readonly program?: URL
}

/** Of the heap of a session's process: a batch of rows with much room to spare. */
const heapMegabytesMax = 256

/** A session that was told to close is over by then. */
const farewellSecondsMax = 2

export class DatabaseProcesses implements OutsideDatabases {
  readonly #options: DatabaseProcessesOptions
  #sessionCount = 0

  constructor(options: DatabaseProcessesOptions) {
    this.#options = options
  }

  async connect(target: SqlTarget, signal: AbortSignal): Promise<SqlConnection> {
    signal.throwIfAborted()
    const reachable = await this.#reachable(target)
    const { limits, program = new URL('./sql-process.js', import.meta.url) } = this.#options
    if (this.#sessionCount >= limits.sessionsMax) {
      const text = `sql: ${limits.sessionsMax} sessions with databases are under way`
      throw new UserError('too many requests', text)
    }
    this.#sessionCount++
    const session = new ProcessSession(program, signal, limits, () => this.#sessionCount--)
    try {
      await session.ask({ kind: 'connect', target: reachable, limits })
      return session
    } catch (error) {
      await session.close()
      throw error
    }
  }

  async #reachable(target: SqlTarget): Promise<ReachableTarget> {
    if (target.kind === 'sqlite') {
      const file = await sqliteFile(target, this.#options.sqliteFolder)
      return { kind: 'sqlite', file, access: target.access }
    }
    try {
      const found = await this.#options.addresses.resolve(target.host)
      return { ...target, addresses: found.map(({ address }) => address) }
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      const text = `data source did not pass url validation: ${error.message}`
      throw new UserError('invalid', text)
    }
  }
}

async function sqliteFile(
  { path, access }: SqliteTarget,
  folder: string | undefined,
): Promise<string> {
  if (folder === undefined) {
    throw new UserError('invalid', 'sql driver sqlite3 not supported: no folder is set for it')
  }
  if (path === undefined) return ':memory:'
  const root = await realpath(folder)
  // Links are followed before the place is judged.
  const wanted = resolve(root, path)
  const file = await realpath(wanted).catch(async () => {
    const parent = await realpath(dirname(wanted)).catch(() => undefined)
    return parent === undefined ? undefined : join(parent, basename(wanted))
  })
  const within = file === undefined ? '..' : relative(root, file)
  const isInside = within !== '' && !within.startsWith('..') && !isAbsolute(within)
  // Whether there is a file elsewhere is nobody's business.
  const isThere = isInside && (await isFile(file!))
  if (isInside && (isThere === true || (isThere === undefined && access === 'make'))) return file!
  throw new UserError('invalid', 'unable to open database file: no such file or directory')
}

/** undefined: there is nothing of that name. */
async function isFile(path: string): Promise<boolean | undefined> {
  const facts = await stat(path).catch(() => undefined)
  return facts?.isFile()
}

interface Waiting {
  resolve(reply: SqlReply): void
  reject(error: unknown): void
}

class ProcessSession implements SqlConnection {
  readonly #child: ChildProcess
  readonly #guard: SqlGuard
  #waiting: Waiting | undefined
  readonly #over: Promise<void>
  #isOpen = true

  /** `ended` is called once the process is gone. */
  constructor(
    program: URL,
    signal: AbortSignal,
    { sessionSecondsMax }: SqlLimits,
    ended: () => void,
  ) {
    this.#child = fork(program, [], {
      env: ownEnvironment(),
      execArgv: [`--max-old-space-size=${heapMegabytesMax}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#child.on('message', (reply: SqlReply) => this.#take()?.resolve(reply))
    // Told by 'exit', or where it could not be started by 'error' alone.
    this.#over = new Promise<void>((resolve) => {
      this.#child.on('exit', () => resolve())
      this.#child.on('error', () => {
        if (this.#child.pid === undefined) resolve()
      })
    }).then(() => {
      ended()
      this.#take()?.reject(clientEnded())
    })
    this.#guard = new SqlGuard(signal, sessionSecondsMax, () => this.#child.kill('SIGKILL'))
  }

  async query(sql: string): Promise<SqlRows> {
    const reply = await this.ask({ kind: 'query', sql })
    const columns = reply.kind === 'columns' ? reply.columns : []
    return { columns, batches: columns.length === 0 ? noBatches() : this.#batches() }
  }

  async *#batches(): AsyncGenerator<readonly SqlRow[], void, void> {
    for (;;) {
      const reply = await this.ask({ kind: 'next' })
      if (reply.kind !== 'rows' || reply.rows.length === 0) return
      yield reply.rows
    }
  }

  async execute(sql: string, parameters: readonly SqlParameter[] = []): Promise<void> {
    await this.ask({ kind: 'execute', sql, parameters })
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#guard.close()
    // Where an answer is still awaited, nobody would listen to a farewell.
    if (this.#waiting === undefined && this.#child.connected) {
      const timer = setTimeout(() => this.#child.kill('SIGKILL'), farewellSecondsMax * 1000)
      await this.#request({ kind: 'close' }).catch(() => undefined)
      clearTimeout(timer)
    }
    this.#child.kill('SIGKILL')
    await this.#over
  }

  /** Throws what the session failed with. */
  async ask(request: SqlRequest): Promise<SqlReply> {
    const reply = await this.#guard.run(this.#request(request))
    if (reply.kind === 'failed') throw new UserError('invalid', reply.text)
    return reply
  }

  #request(request: SqlRequest): Promise<SqlReply> {
    return new Promise((resolve, reject) => {
      if (!this.#child.connected) return reject(clientEnded())
      this.#waiting = { resolve, reject }
      this.#child.send(request, (error) => {
        if (error !== null) this.#take()?.reject(clientEnded())
      })
    })
  }

  #take(): Waiting | undefined {
    const waiting = this.#waiting
    this.#waiting = undefined
    return waiting
  }
}

/** Authorities that the machine's owner trusts besides the usual ones, and no secret. */
function ownEnvironment(): Record<string, string> {
  const { NODE_EXTRA_CA_CERTS: authorities } = process.env
  return authorities === undefined ? {} : { NODE_EXTRA_CA_CERTS: authorities }
}

async function* noBatches(): AsyncGenerator<readonly SqlRow[], void, void> {}

function clientEnded(): UserError {
  return new UserError('invalid', 'sql: the session with the database ended unexpectedly')
}

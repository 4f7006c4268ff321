// When the catalog's log is carried over into its file, which is sealed in between: SQLite would do it whenever it
// likes, and nobody could say what the file must look like.

import { type Kysely, sql } from 'kysely'
import { CorruptionError } from '../../errors.js'
import { DatabaseSeal, lengthOf, readContent } from '../../platform/database-seal.js'
import { damagedText } from '../../platform/database-texts.js'
import type { Database } from '../../platform/sqlite.js'
import { inTurns } from '../../platform/turns.js'
import type { CatalogTables } from './tables.js'

/** As long as SQLite lets it become. */
const logBytesMax = 4 << 20
/** How often its length is asked for: some thousand bytes a statement. */
const statementsPerLook = 500

export class SealedLog {
  readonly #path: string
  readonly #toldPath: string
  readonly #seal: DatabaseSeal
  readonly #hadLog: boolean
  readonly #database: Database
  #db: Kysely<CatalogTables> | undefined
  #carrying: Promise<void> | undefined
  #statements = 0
  #isSealed = false
  #isOther = false
  #problem: string | undefined
  #sealedChanges = 0

  /** Of a database that was just opened; `toldPath`: of what it is a copy. */
  constructor(path: string, database: Database, toldPath = path) {
    this.#path = path
    this.#toldPath = toldPath
    this.#database = database
    this.#seal = new DatabaseSeal(path)
    this.#hadLog = lengthOf(`${path}-wal`) > 0
    database.exec('PRAGMA wal_autocheckpoint = 0')
  }

  /** Before anything is asked of the database. Throws where it holds what cannot be read. */
  async look(): Promise<void> {
    const sealed = this.#seal.read()
    if (sealed !== undefined) {
      const { byteLength, checksum } = await inTurns(readContent(this.#path), undefined)
      this.#isSealed = byteLength === sealed.byteLength && checksum === sealed.checksum
      this.#isOther = !this.#isSealed
      this.#sealedChanges = sealed.changes
    }
    if (!this.#isSealed) this.#lookThrough()
  }

  /** Nothing says what the file must be, but SQLite can tell whether it is one of its own. */
  #lookThrough(): void {
    const damaged = damagedText(this.#database)
    if (damaged !== undefined) {
      const message = `${damaged} holds what is no text; bring back a backup ('millrace restore')`
      throw new CorruptionError(this.#toldPath, 0, message)
    }
    const [found] = this.#database.prepare('PRAGMA integrity_check(1)').all()
    const { integrity_check: text } = found as { integrity_check: string }
    if (text !== 'ok') this.#problem = text
  }

  /** How many changes the file knew of when it was sealed; 0: that is not known. */
  get sealedChanges(): number {
    return this.#sealedChanges
  }

  /**
   * What is wrong with the file, which knows of so many changes, as far as it can be told. Another program that looked
   * into it may have carried over a log that was left behind: then there is none, and it knows of more.
   */
  damage(changes: number): string | undefined {
    if (this.#problem !== undefined) return this.#problem
    const isOther = this.#isOther && (this.#hadLog || changes <= this.#sealedChanges)
    return isOther ? 'it is not as it was written' : undefined
  }

  /** It is accepted as it is, and changes from now on. */
  async begin(db: Kysely<CatalogTables>): Promise<void> {
    this.#db = db
    if (!this.#isSealed) await this.#carryOver(db)
  }

  /** After each statement. */
  noteStatement(): void {
    if (++this.#statements % statementsPerLook !== 0 || this.#db === undefined) return
    if (lengthOf(`${this.#path}-wal`) < logBytesMax) return
    // Where it fails the log grows on until it works, or until the disk refuses a statement, which is told.
    this.#carrying ??= this.#carryOver(this.#db)
      .catch(() => undefined)
      .finally(() => {
        this.#carrying = undefined
      })
  }

  /** Before the database is closed, which would carry over what is left. */
  async close(): Promise<void> {
    const db = this.#db
    this.#db = undefined
    await this.#carrying
    // On a disk that refuses it the log is left for the next start.
    if (db !== undefined) await this.#carryOver(db).catch(() => undefined)
  }

  async #carryOver(db: Kysely<CatalogTables>): Promise<void> {
    this.#seal.break()
    const checkpoint = sql<{ busy: number }>`PRAGMA wal_checkpoint(TRUNCATE)`
    const [{ busy }] = (await checkpoint.execute(db)).rows
    // Somebody reads what would be overwritten: next time.
    if (busy !== 0) return
    const sum = sql<{ changes: number | null }>`SELECT sum(version) AS changes FROM versions`
    const [{ changes }] = (await sum.execute(db)).rows
    const content = await inTurns(readContent(this.#path), undefined)
    this.#seal.write({ changes: changes ?? 0, ...content })
  }
}

/** All files of the catalog, but the one that SQLite makes anew at each start. */
export function catalogFiles(path: string): readonly string[] {
  return [path, `${path}-wal`, `${path}-changes`, `${path}-seal`]
}

// What a power cut inside a change of the catalog leaves of its files. SQLite writes with calls of its own, which no
// simulated disk stands in for: so the files are taken before and after a change that nobody was told of, and of what
// differs any sector of 512 bytes may have reached the disk or not, as far as the syncs between allow it:
//
//   log       a change is appended to it and synced: until then any of its sectors may be missing, and the file's end
//   database  pages go there from a log that was synced before: with the log whole, any of them may be old
//   new log   begins over the old one when the database was synced, with a head that is synced before its frames: with
//             the database whole and the head new, any sector may be old
//   witness   is written once the log is synced: old, new, or one slot of it torn
//   seal      is broken, and synced, before any page goes into the database: with another database it is the new one

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Random } from '../../src/platform/random.js'

export type CatalogFiles = Readonly<Record<'database' | 'log' | 'witness' | 'seal', Buffer>>

export const tornKinds = ['log', 'log whole', 'database', 'new log', 'nothing'] as const
export type TornKind = (typeof tornKinds)[number]

const sectorBytes = 512
const logHeaderBytes = 32

const names = {
  database: 'catalog.sqlite',
  log: 'catalog.sqlite-wal',
  witness: 'catalog.sqlite-changes',
  seal: 'catalog.sqlite-seal',
} as const

export function readCatalog(folder: string): CatalogFiles {
  const read = (name: string) =>
    existsSync(`${folder}/${name}`) ? readFileSync(`${folder}/${name}`) : Buffer.alloc(0)
  return {
    database: read(names.database),
    log: read(names.log),
    witness: read(names.witness),
    seal: read(names.seal),
  }
}

export function writeCatalog(folder: string, files: CatalogFiles): void {
  for (const key of ['database', 'log', 'witness', 'seal'] as const) {
    writeFileSync(`${folder}/${names[key]}`, files[key])
  }
}

export function tornCatalog(
  before: CatalogFiles,
  after: CatalogFiles,
  random: Random,
): { readonly kind: TornKind; readonly files: CatalogFiles } {
  const isNewLog = !before.log
    .subarray(0, logHeaderBytes)
    .equals(after.log.subarray(0, logHeaderBytes))
  if (isNewLog && before.log.length > 0) {
    const { database, seal } = after
    const log = torn(before.log, after.log, random)
    after.log.copy(log, 0, 0, logHeaderBytes)
    return { kind: 'new log', files: { database, log, witness: before.witness, seal } }
  }
  if (!before.database.equals(after.database)) {
    const database = torn(before.database, after.database, random)
    const witness = tornWitness(before, after, random)
    return { kind: 'database', files: { ...after, database, witness } }
  }
  if (before.log.equals(after.log)) return { kind: 'nothing', files: before }
  if (random.below(3) === 0) {
    const witness = tornWitness(before, after, random)
    return { kind: 'log whole', files: { ...after, witness } }
  }
  return { kind: 'log', files: { ...before, log: torn(before.log, after.log, random) } }
}

/** Each sector that differs is old or new; the file ends anywhere between where it ended and where it ends. */
function torn(before: Buffer, after: Buffer, random: Random): Buffer {
  const grown = Math.max(0, after.length - before.length)
  const length = before.length + random.below(grown + 1)
  const result = Buffer.alloc(length)
  before.copy(result)
  // Mostly all but one, or one alone: with halves of many sectors nothing is ever nearly right.
  const share = random.pick([1, 4, 7])
  for (let at = 0; at < length; at += sectorBytes) {
    if (random.below(8) < share) after.copy(result, at, at, Math.min(at + sectorBytes, length))
  }
  return result
}

function tornWitness(before: CatalogFiles, after: CatalogFiles, random: Random): Buffer {
  const choice = random.below(3)
  if (choice < 2) return choice === 0 ? before.witness : after.witness
  const witness = Buffer.from(after.witness)
  for (let at = 0; at < witness.length; at++) {
    if (witness[at] !== before.witness[at] && random.below(2) === 0)
      witness[at] = before.witness[at]
  }
  return witness
}

// `check`: looks at a data folder that nobody serves: every file, checksum and reference of the store, and the catalog
// against it. With `--repair` what is damaged is set aside, so that the rest can be served. Exit codes: 0 whole,
// 1 failed, 2 called wrongly, 3 damaged (with `--repair`: still, as far as the catalog is concerned).

import { existsSync } from 'node:fs'
import { catalogFiles, SealedLog } from '../catalog/base/sealed-log.js'
import { parseFlags } from '../config.js'
import { ChangeWitness } from '../platform/change-witness.js'
import { lockFolder } from '../platform/folder-lock.js'
import { NodeDisk } from '../platform/node-disk.js'
import { copyFiles } from '../platform/read-only-folder.js'
import { connect } from '../platform/sqlite.js'
import { inspectStore, type StoreReport } from '../store/embedded/check/inspect.js'
import { repairStore } from '../store/embedded/check/repair.js'
import { checkFlags, judgeArguments, UsageError } from './arguments.js'
import { ByteLine } from './progress-line.js'

interface CatalogReport {
  readonly problems: readonly string[]
  readonly bucketIds: readonly string[]
}

export async function checkCommand(args: readonly string[]): Promise<number> {
  const { dataDir, isJson, isRepair } = judgeArguments(() => readArguments(args))
  const lock = lockFolder(dataDir)
  const line = new ByteLine(dataDir)
  try {
    const disk = new NodeDisk()
    const root = `${dataDir}/store`
    let store = await inspectStore(disk, root, line.add)
    const wasDamaged = isDamaged(store)
    if (isRepair && wasDamaged) {
      await repairStore(disk, root, (_level, message, fields) => {
        process.stderr.write(`${message} ${JSON.stringify(fields ?? {})}\n`)
      })
      const after = await inspectStore(disk, root)
      // What was lost is told beside what is left: afterwards nobody can tell it any more.
      store = { ...after, places: [...store.places, ...after.places] }
    }
    const catalog = await inspectCatalog(`${dataDir}/catalog.sqlite`)
    line.end()
    const unnamed = store.bucketIds.filter((id) => !catalog.bucketIds.includes(id))
    const isWhole = !wasDamaged && catalog.problems.length === 0
    const isServed = isRepair ? store.refusal === undefined : isWhole
    if (isJson) process.stdout.write(`${toJson({ isWhole, store, catalog, unnamed })}\n`)
    else process.stdout.write(reportText(store, catalog, unnamed, isRepair && wasDamaged))
    return isServed && catalog.problems.length === 0 ? 0 : 3
  } finally {
    line.end()
    lock.release()
  }
}

function readArguments(args: readonly string[]) {
  const [dataDir, ...rest] = args
  if (dataDir === undefined || dataDir.startsWith('-')) {
    throw new UsageError('check: which folder? millrace check DIR')
  }
  const flags = parseFlags(rest, checkFlags)
  if (!existsSync(`${dataDir}/store`)) {
    throw new UsageError(`check: there is no data folder "${dataDir}"`)
  }
  return { dataDir, isJson: flags.has('json'), isRepair: flags.has('repair') }
}

function isDamaged({ refusal, places }: StoreReport): boolean {
  return refusal !== undefined || places.length > 0
}

async function inspectCatalog(path: string): Promise<CatalogReport> {
  if (!existsSync(path)) return { problems: [`${path} is missing`], bucketIds: [] }
  // SQLite carries over the log of what it closes: nothing is changed by looking.
  const copy = copyFiles(catalogFiles(path))
  const database = connect(copy.path(path))
  try {
    const log = new SealedLog(copy.path(path), database, path)
    await log.look()
    const rows = <T>(sql: string) => database.prepare(sql).all() as T[]
    const found = rows<{ integrity_check: string }>('PRAGMA integrity_check(20)')
    const problems = found.map((row) => row.integrity_check).filter((text) => text !== 'ok')
    const [{ changes }] = rows<{ changes: number | null }>(
      'SELECT sum(version) AS changes FROM versions',
    )
    const known = acknowledged(`${path}-changes`)
    if ((changes ?? 0) < known) {
      problems.push(`${known} changes were acknowledged, and it knows of ${changes ?? 0}`)
    }
    const damage = log.damage(changes ?? 0)
    if (damage !== undefined && !problems.includes(damage)) problems.push(damage)
    return { problems, bucketIds: rows<{ id: string }>('SELECT id FROM buckets').map((r) => r.id) }
  } catch (error) {
    return { problems: [error instanceof Error ? error.message : String(error)], bucketIds: [] }
  } finally {
    database.close()
    copy.remove()
  }
}

function acknowledged(path: string): number {
  if (!existsSync(path)) return 0
  const witness = ChangeWitness.open(path)
  witness.close()
  return witness.number
}

function toJson(report: object): string {
  return JSON.stringify(
    report,
    (_key, value) => (typeof value === 'bigint' ? String(value) : value),
    2,
  )
}

function reportText(
  store: StoreReport,
  catalog: CatalogReport,
  unnamed: readonly string[],
  isRepaired: boolean,
): string {
  const { segmentCount, byteLength, rowCount, bucketIds, logCount, aside, unknown } = store
  const lines = [
    `store: manifest ${store.manifest}, ${bucketIds.length} buckets, ${segmentCount} segments, ` +
      `${rowCount} rows, ${byteLength} bytes, ${logCount} logs`,
    ...(store.refusal === undefined ? [] : [`DAMAGED: it would not open: ${store.refusal}`]),
    ...store.places.map((place) => `DAMAGED: ${placeText(place)}`),
    ...unknown.map(
      (name) => `unknown: ${name}: no manifest names it, the next start sets it aside`,
    ),
    ...(aside.length === 0 ? [] : [`set aside: ${aside.length} files in store/set-aside`]),
    `catalog: ${catalog.bucketIds.length} buckets`,
    ...catalog.problems.map((problem) => `DAMAGED: catalog: ${problem}`),
    ...unnamed.map((id) => `unnamed: bucket ${id} of the store is none of the catalog's`),
    ...(isRepaired ? ['repaired: what is damaged was set aside, the rest can be served'] : []),
  ]
  return `${lines.join('\n')}\n`
}

function placeText({ bucket, measurement, range, message }: StoreReport['places'][number]): string {
  const where = [
    ...(bucket === undefined ? [] : [`bucket ${bucket}`]),
    ...(measurement === undefined ? [] : [`measurement ${JSON.stringify(measurement)}`]),
    ...(range === undefined ? [] : [`nanoseconds ${range.start} to ${range.stop}`]),
  ]
  return [...where, message].join(', ')
}

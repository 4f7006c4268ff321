// An import as the interface shows it: how far it has come, what its columns are, what the first points look like, and
// what was refused.

import { columnWord } from '../../../formats/points/point-column.js'
import { failureOf, internalFailure } from '../../../service/base/failures.js'
import type { ImportRun } from '../../../service/imports/import-run.js'

export const importsPath = '/api/v2/imports'

export function importJson(run: ImportRun): object {
  const { id, description, status, failure } = run
  const { bucket, format, isDryRun } = description
  const self = `${importsPath}/${id}`
  return {
    id,
    orgID: bucket.orgId,
    bucketID: bucket.id,
    format,
    dryRun: isDryRun,
    status,
    ...(status === 'failed' && failure !== undefined ? { error: told(failure) } : {}),
    createdAt: momentOf(run.createdAt),
    ...(run.endedAt === undefined ? {} : { endedAt: momentOf(run.endedAt) }),
    receivedBytes: run.receivedBytes,
    rows: run.lastRow,
    points: run.pointCount,
    refused: run.refusedCount,
    errors: run.refused.map(({ row, reason }) => ({ row, message: reason })),
    columns: run.columns.map((column) => ({ name: column.name, type: columnWord(column) })),
    sample: run.sample,
    links: { self, data: `${self}/data` },
  }
}

function told(failure: Error): string {
  return (failureOf(failure) ?? internalFailure('import')).message
}

function momentOf(ns: bigint): string {
  return new Date(Number(ns / 1_000_000n)).toISOString()
}

// Buckets, what lies in them,
// and writing points.

import { useQuery } from '@tanstack/react-query'
import { sortedByName } from './by-name.js'
import { type ApiError, request, requestJson } from './http.js'

export interface Bucket {
  readonly id: string
  readonly orgID: string
  readonly name: string
  readonly description?: string
  readonly type: 'user' | 'system'
  readonly retentionRules: readonly { readonly everySeconds: number }[]
  readonly createdAt?: string
}

/** The list reaches this far; with more buckets it says so. */
export const bucketsMax = 1000
const pageSize = 100

export async function buckets(orgID: string): Promise<Bucket[]> {
  const all: Bucket[] = []
  for (let offset = 0; offset < bucketsMax; offset += pageSize) {
    const query = { orgID, limit: pageSize, offset }
    const page = (await requestJson<{ buckets: Bucket[] }>('api/v2/buckets', { query })).buckets
    all.push(...page)
    if (page.length < pageSize) break
  }
  const named = sortedByName(all)
  return named.toSorted((a, b) => order(a) - order(b))
}

function order({ type }: Bucket): number {
  return type === 'system' ? 1 : 0
}

export function bucketsQuery(orgID: string) {
  return { queryKey: ['buckets', orgID], queryFn: () => buckets(orgID) }
}

export function useBuckets(orgID: string) {
  return useQuery(bucketsQuery(orgID))
}

export interface BucketInput {
  readonly name: string
  readonly description?: string
  readonly everySeconds: number
}

export function createBucket(orgID: string, input: BucketInput): Promise<Bucket> {
  const { name, description = '', everySeconds } = input
  const json = { orgID, name, description, retentionRules: [{ type: 'expire', everySeconds }] }
  return requestJson('api/v2/buckets', { json })
}

export function changeBucket(id: string, input: BucketInput): Promise<Bucket> {
  const { name, description = '', everySeconds } = input
  const json = { name, description, retentionRules: [{ type: 'expire', everySeconds }] }
  return requestJson(`api/v2/buckets/${id}`, { method: 'PATCH', json })
}

export async function deleteBucket(id: string): Promise<void> {
  await request(`api/v2/buckets/${id}`, { method: 'DELETE' })
}

export interface NamesPage {
  readonly names: readonly string[]
  readonly total: number | undefined
  readonly hasMore: boolean
}

/** How much there is; bytes are those on disk. */
export interface SchemaFigures {
  readonly seriesCount: number
  readonly rowCountMax: number
  readonly storedBytes?: number
  readonly first?: string
  readonly last?: string
}

export interface Outline extends SchemaFigures {
  readonly measurement: string
  readonly fields: readonly { readonly name: string; readonly type: string }[]
  readonly tagKeys: readonly string[]
}

interface SchemaAnswer {
  readonly measurements?: string[]
  readonly values?: string[]
  readonly seriesCounts?: (number | null)[]
  readonly total?: number
  readonly hasMore: boolean
}

type Search = Readonly<{ search?: string; offset?: number; limit?: number }>

async function names(bucketId: string, query: Record<string, string | number | undefined>) {
  const path = `api/v2/buckets/${bucketId}/schema`
  const answer = await requestJson<SchemaAnswer>(path, { query })
  const { measurements, values, total, hasMore } = answer
  return { names: measurements ?? values ?? [], total, hasMore }
}

export function measurements(bucketId: string, search: Search = {}): Promise<NamesPage> {
  return names(bucketId, search)
}

/** Of one measurement, exactly: the service counts rows without reading them. */
export async function pointCount(bucketId: string, measurement: string): Promise<number> {
  const q = `SELECT count(*) AS points FROM "${measurement.replaceAll('"', '""')}"`
  const json = { db: bucketId, q, format: 'json' }
  const [row] = await requestJson<readonly { readonly points: number }[]>('api/v3/query_sql', {
    json,
  })
  return row?.points ?? 0
}

export function outline(bucketId: string, measurement: string): Promise<Outline> {
  return requestJson(`api/v2/buckets/${bucketId}/schema`, { query: { measurement } })
}

export function useBucketFigures(bucketId: string) {
  return useQuery({
    queryKey: ['bucket-figures', bucketId],
    queryFn: () => {
      const query = { figures: true }
      return requestJson<SchemaFigures>(`api/v2/buckets/${bucketId}/schema`, { query })
    },
  })
}

export function tagValues(
  bucketId: string,
  measurement: string,
  tag: string,
  search: Search = {},
): Promise<NamesPage> {
  return names(bucketId, { measurement, tag, ...search })
}

/** What is shown of a bucket before more is asked for. */
export const measurementsPage = 100

export function measurementsQuery(bucketId: string | undefined, search: string, limit: number) {
  return {
    queryKey: ['schema', bucketId, search, limit],
    queryFn: () => measurements(bucketId!, { search, limit }),
  }
}

export function useMeasurements(bucketId: string | undefined, search: string, limit: number) {
  return useQuery({
    ...measurementsQuery(bucketId, search, limit),
    enabled: bucketId !== undefined,
  })
}

/** Series of each measurement of such a page, after its names: null where counting takes long. */
export function useSeriesCounts(bucketId: string, search: string, limit: number) {
  return useQuery({
    queryKey: ['series-counts', bucketId, search, limit],
    queryFn: async () => {
      const query = { search, limit, counts: true }
      const { measurements: found = [], seriesCounts = [] } = await requestJson<SchemaAnswer>(
        `api/v2/buckets/${bucketId}/schema`,
        { query },
      )
      return new Map(found.map((name, i) => [name, seriesCounts[i] ?? undefined]))
    },
  })
}

export function useOutline(bucketId: string | undefined, measurement: string | undefined) {
  return useQuery({
    queryKey: ['outline', bucketId, measurement],
    queryFn: () => outline(bucketId!, measurement!),
    enabled: bucketId !== undefined && measurement !== undefined,
  })
}

export function useTagValues(
  bucketId: string | undefined,
  measurement: string,
  tag: string,
  search: string,
  limit: number,
) {
  return useQuery({
    queryKey: ['tag-values', bucketId, measurement, tag, search, limit],
    queryFn: () => tagValues(bucketId!, measurement, tag, { search, limit }),
    enabled: bucketId !== undefined,
  })
}

/** How many values these tags have, one after the other: nobody else should wait for somebody who looks around. */
export function useTagCounts(bucketId: string, measurement: string, tags: readonly string[]) {
  return useQuery({
    queryKey: ['tag-counts', bucketId, measurement],
    queryFn: async () => {
      const found = new Map<string, number>()
      for (const tag of tags) {
        const { total } = await tagValues(bucketId, measurement, tag, { limit: 1 })
        if (total !== undefined) found.set(tag, total)
      }
      return found
    },
  })
}

export type Precision = 'ns' | 'us' | 'ms' | 's'

export interface RefusedLine {
  /** Counted from 1. */
  readonly line: number
  readonly message: string
}

/** The lines that were refused; the others are written. Throws where the whole text was. */
export async function writeLines(
  orgID: string,
  bucket: string,
  precision: Precision,
  lines: string,
  signal?: AbortSignal,
): Promise<readonly RefusedLine[]> {
  try {
    await request('api/v2/write', {
      method: 'POST',
      query: { orgID, bucket, precision, refused: 'list' },
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: lines,
      ...(signal === undefined ? {} : { signal }),
    })
    return []
  } catch (error) {
    const { refused } = (error as ApiError).details ?? {}
    if (!Array.isArray(refused)) throw error
    return refused as RefusedLine[]
  }
}

export interface DeleteInput {
  readonly start: string
  readonly stop: string
  readonly predicate: string
}

export interface DeletePreview {
  readonly seriesCount: number
  readonly rowCountMax: number
}

export function previewDelete(
  orgID: string,
  bucketID: string,
  input: DeleteInput,
): Promise<DeletePreview> {
  const json = { ...input, dryRun: true }
  return requestJson('api/v2/delete', { method: 'POST', query: { orgID, bucketID }, json })
}

export async function deletePoints(orgID: string, bucketID: string, json: DeleteInput) {
  await request('api/v2/delete', { method: 'POST', query: { orgID, bucketID }, json })
}

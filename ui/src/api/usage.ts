// What an organization has used lately, and what it is limited to. Both are told to whoever may see the
// organization.

import { useQuery } from '@tanstack/react-query'
import { request, requestJson } from './http.js'

export interface BucketUsage {
  /** Empty: what belongs to no single bucket. */
  readonly bucketId: string
  readonly writes: number
  readonly writtenBytes: number
  readonly queries: number
  readonly sentBytes: number
}

export type Limits = Readonly<Record<string, Readonly<Record<string, number | string | boolean>>>>

const refreshMs = 30_000
const daySeconds = 86_400

const members: Readonly<Record<string, keyof BucketUsage>> = {
  write_requests: 'writes',
  write_bytes: 'writtenBytes',
  query_requests: 'queries',
  query_bytes: 'sentBytes',
}

/** Of the last day, the busiest bucket first. */
export function useUsage(orgId: string) {
  return useQuery({
    queryKey: ['usage', orgId],
    refetchInterval: refreshMs,
    queryFn: async () => {
      const start = Math.floor(Date.now() / 1000) - daySeconds
      const path = `api/v2/orgs/${orgId}/usage`
      return readUsage(await (await request(path, { query: { start } })).text())
    },
  })
}

export interface RecentWrites {
  /** By minute, up to the one that it is. */
  readonly requests: readonly number[]
  readonly bytes: readonly number[]
}

interface RecentAnswer {
  readonly buckets: readonly {
    readonly bucketID: string
    readonly writeRequests: readonly number[]
    readonly writeBytes: readonly number[]
  }[]
}

/** Writes of the last hour by bucket, of all buckets at once; what is absent had none. */
export function useRecentWrites(orgId: string) {
  return useQuery({
    queryKey: ['recent-writes', orgId],
    refetchInterval: refreshMs,
    queryFn: async (): Promise<ReadonlyMap<string, RecentWrites>> => {
      const { buckets } = await requestJson<RecentAnswer>(`api/v2/orgs/${orgId}/usage/recent`)
      return new Map(
        buckets.map(({ bucketID, writeRequests: requests, writeBytes: bytes }) => {
          return [bucketID, { requests, bytes }]
        }),
      )
    },
  })
}

/** The answer is annotated CSV of ids and numbers, of which none needs quotes. */
export function readUsage(text: string): readonly BucketUsage[] {
  const found = new Map<string, BucketUsage>()
  let columns: readonly string[] = []
  for (const line of text.split(/\r?\n/)) {
    if (line === '' || line.startsWith('#')) continue
    const cells = line.split(',')
    if (cells.includes('_value')) {
      columns = cells
      continue
    }
    const cell = (name: string) => cells[columns.indexOf(name)] ?? ''
    const bucketId = cell('bucket_id')
    const member = members[cell('_field')]
    if (member === undefined) continue
    const none = { bucketId, writes: 0, writtenBytes: 0, queries: 0, sentBytes: 0 }
    const before = found.get(bucketId) ?? none
    found.set(bucketId, { ...before, [member]: Number(cell('_value')) })
  }
  const size = ({ writtenBytes, sentBytes }: BucketUsage) => writtenBytes + sentBytes
  return [...found.values()].sort((a, b) => size(b) - size(a))
}

export function useLimits(orgId: string) {
  return useQuery({
    queryKey: ['limits', orgId],
    queryFn: async () => {
      const { limits } = await requestJson<{ limits: Limits & { orgID: string } }>(
        `api/v2/orgs/${orgId}/limits`,
      )
      const { orgID: _, ...sections } = limits
      return sections as Limits
    },
  })
}

/** What it was started with; for whoever runs the installation. */
export function useConfiguration(isAllowed: boolean) {
  return useQuery({
    queryKey: ['configuration'],
    enabled: isAllowed,
    queryFn: async () =>
      (await requestJson<{ config: Readonly<Record<string, unknown>> }>('api/v2/config')).config,
  })
}

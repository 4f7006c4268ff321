// How the service is: its health, the figures that it gives to monitoring, and the queries that run right now, with
// stopping one.

import { useQuery } from '@tanstack/react-query'
import { request, requestJson } from './http.js'

export interface Health {
  readonly status: string
  readonly message: string
  readonly commit: string
}

export interface Figures {
  readonly at: number
  /** By name, summed over labels. */
  readonly values: ReadonlyMap<string, number>
}

const refreshMs = 5000
const requests = 'millrace_http_requests_total'
/** Of the requests those for queries, which the service does not count apart. */
export const queryRequests = 'query_requests'

export function useHealth() {
  return useQuery({
    queryKey: ['health'],
    queryFn: () => requestJson<Health>('health'),
    refetchInterval: refreshMs,
  })
}

export function useFigures() {
  return useQuery({ queryKey: ['figures'], queryFn: figures, refetchInterval: refreshMs })
}

async function figures(): Promise<Figures> {
  const text = await (await request('api/v2/metrics', { headers: { accept: 'text/plain' } })).text()
  return { at: Date.now(), values: readFigures(text) }
}

export function readFigures(text: string): Map<string, number> {
  const values = new Map<string, number>()
  const add = (name: string, value: number) => values.set(name, (values.get(name) ?? 0) + value)
  for (const line of text.split('\n')) {
    const found = /^([a-z_]+)(\{[^}]*\})? (\S+)$/.exec(line)
    if (found === null) continue
    const [, name, labels = '', value] = found
    add(name, Number(value))
    // Paths that answer queries have it in their names: `/query`, `/api/v3/query_sql`.
    if (name === requests && labels.includes('/query')) add(queryRequests, Number(value))
  }
  return values
}

export interface RunningQuery {
  readonly id: string
  readonly language: string
  readonly query: string
  readonly database?: string
  readonly elapsedMs: number
  /** Of the request that asks it. */
  readonly requestID?: string
  readonly rowsRead?: number
  readonly memoryBytes?: number
}

export interface SlowQuery extends RunningQuery {
  readonly startedAt: string
}

const slowestRefreshMs = 10_000

/** Of the last hour. */
export function useSlowestQueries() {
  return useQuery({
    queryKey: ['slowest-queries'],
    queryFn: async () =>
      (await requestJson<{ queries: SlowQuery[] }>('api/v2/queries/slowest')).queries,
    refetchInterval: slowestRefreshMs,
  })
}

/** Often enough to see what runs for a second or two. */
const queriesRefreshMs = 1000

export function useRunningQueries() {
  return useQuery({
    queryKey: ['running-queries'],
    queryFn: async () => (await requestJson<{ queries: RunningQuery[] }>('api/v2/queries')).queries,
    refetchInterval: queriesRefreshMs,
  })
}

/** What a request of this page has read so far; undefined until the service tells. */
export function useRowsRead(requestId: string): number | undefined {
  return useRunningQueries().data?.find(({ requestID }) => requestID === requestId)?.rowsRead
}

export async function stopQuery(id: string): Promise<void> {
  await request(`api/v2/queries/${id}`, { method: 'DELETE' })
}

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
  const text = await (await request('metrics', { headers: { accept: 'text/plain' } })).text()
  return { at: Date.now(), values: readFigures(text) }
}

export function readFigures(text: string): Map<string, number> {
  const values = new Map<string, number>()
  for (const line of text.split('\n')) {
    const found = /^([a-z_]+)(?:\{[^}]*\})? (\S+)$/.exec(line)
    if (found === null) continue
    values.set(found[1], (values.get(found[1]) ?? 0) + Number(found[2]))
  }
  return values
}

export interface RunningQuery {
  readonly id: number
  readonly text: string
  readonly database: string
  readonly duration: string
}

interface Answer {
  readonly results: readonly {
    readonly error?: string
    readonly series?: readonly { readonly values: readonly (readonly unknown[])[] }[]
  }[]
}

async function statement(orgID: string, query: string): Promise<readonly (readonly unknown[])[]> {
  const json = { type: 'influxql', db: '_internal', query }
  const answer = await requestJson<Answer>('api/v2/query', { query: { orgID }, json })
  const [{ error, series = [] }] = answer.results
  if (error !== undefined) throw new Error(error)
  return series[0]?.values ?? []
}

export function useRunningQueries(orgID: string) {
  return useQuery({
    queryKey: ['running-queries', orgID],
    queryFn: async () =>
      (await statement(orgID, 'SHOW QUERIES')).map(
        ([id, text, database, duration]): RunningQuery => ({
          id: Number(id),
          text: String(text),
          database: String(database),
          duration: String(duration),
        }),
      ),
    refetchInterval: refreshMs,
  })
}

export async function stopQuery(orgID: string, id: number): Promise<void> {
  await statement(orgID, `KILL QUERY ${id}`)
}

// How the service is doing: health, what comes in and goes out each second, memory and disk, and the queries that run,
// each with a button to stop it. Looks again every five seconds.

import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import {
  type Figures,
  type RunningQuery,
  stopQuery,
  useFigures,
  useHealth,
  useRunningQueries,
} from '../api/status.js'
import { bytesText, countText, durationText, shortCount } from '../parts/figures.js'
import { Page } from '../parts/page.js'
import { Loaded } from '../parts/states.js'
import { done, failed } from '../parts/toasts.js'
import { languages } from '../query/language.js'

export function StatusPage() {
  const health = useHealth()
  const figures = useFigures()
  return (
    <Page title="Status">
      <Loaded of={health} what="health">
        {({ status, message, commit }) => (
          <p className={status === 'pass' ? 'good' : 'bad'} role="status">
            {status === 'pass' ? '✓' : '✕'} {message} <span className="muted">({commit})</span>
          </p>
        )}
      </Loaded>
      <Loaded of={figures} what="figures">
        {(now) => <Tiles now={now} />}
      </Loaded>
      <h2>Running queries</h2>
      <RunningQueries />
    </Page>
  )
}

function Tiles({ now }: { readonly now: Figures }) {
  const rates = useRates(now)
  const value = (name: string) => now.values.get(name) ?? 0
  const tiles: readonly (readonly [string, string])[] = [
    ['Up', durationText(value('process_uptime_seconds') * 1000)],
    ['Points written', rates('millrace_write_points_total')],
    ['Requests', rates('millrace_http_requests_total')],
    ['Points refused', countText(value('millrace_write_points_rejected_total'))],
    ['Series', shortCount(value('millrace_store_series'))],
    ['Memory', bytesText(value('process_resident_memory_bytes'))],
    ['Segments on disk', bytesText(value('millrace_store_segment_bytes'))],
    ['Not flushed yet', bytesText(value('millrace_store_memtable_bytes'))],
    ['Own failures', countText(value('millrace_http_internal_errors_total'))],
  ]
  return (
    <dl className="tiles">
      {tiles.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="mono">{text}</dd>
        </div>
      ))}
    </dl>
  )
}

/** What a counter grew by in a second since the figures before these. */
function useRates(now: Figures): (name: string) => string {
  const last = useRef<{ now: Figures; before: Figures | undefined }>({ now, before: undefined })
  if (last.current.now.at !== now.at) last.current = { now, before: last.current.now }
  const { before } = last.current
  return (name) => {
    if (before === undefined) return '… / s'
    const grown = (now.values.get(name) ?? 0) - (before.values.get(name) ?? 0)
    return `${shortCount(Math.round((grown * 10_000) / (now.at - before.at)) / 10)} / s`
  }
}

function RunningQueries() {
  const client = useQueryClient()
  const found = useRunningQueries()
  const stop = async ({ id }: RunningQuery) => {
    try {
      await stopQuery(id)
      done(`Query ${id} is stopped`)
    } catch (error) {
      failed(error, `Query ${id}`)
    }
    void client.invalidateQueries({ queryKey: ['running-queries'] })
  }
  return (
    <Loaded of={found} what="running queries">
      {(all) => {
        if (all.length === 0) return <p className="muted">None right now.</p>
        return <QueryTable list={all} onStop={stop} />
      }}
    </Loaded>
  )
}

interface QueryTableProps {
  readonly list: readonly RunningQuery[]
  readonly onStop: (query: RunningQuery) => void
}

function QueryTable({ list, onStop }: QueryTableProps) {
  return (
    <div className="table-scroll">
      <table className="plain-table">
        <thead>
          <tr>
            <th>For</th>
            <th className="is-number">Rows read</th>
            <th className="is-number">Memory</th>
            <th>Language</th>
            <th>Query</th>
            <th>
              <span className="hidden-text">Stop</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.map((query) => (
            <tr key={query.id}>
              <td className="mono no-wrap">{durationText(query.elapsedMs)}</td>
              <td className="is-number no-wrap">{shortCount(query.rowsRead ?? 0)}</td>
              <td className="is-number no-wrap">{bytesText(query.memoryBytes ?? 0)}</td>
              <td>{languageName(query.language)}</td>
              <td className="mono">{query.query.slice(0, 300)}</td>
              <td>
                <Button
                  size="compact-xs"
                  variant="light"
                  color="red"
                  aria-label={`Stop query ${query.id}`}
                  onClick={() => onStop(query)}
                >
                  Stop
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function languageName(name: string): string {
  return languages.find(({ value }) => value === name)?.label ?? name
}

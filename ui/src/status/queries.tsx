// The queries that run, each with a button to stop it, and the slowest of the last hour: one's own, or everybody's for
// those who run the installation.

import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import {
  type RunningQuery,
  type SlowQuery,
  stopQuery,
  useRunningQueries,
  useSlowestQueries,
} from '../api/status.js'
import { agoText, bytesText, durationText, momentText, shortCount } from '../parts/figures.js'
import { Loaded } from '../parts/states.js'
import { done, failed } from '../parts/toasts.js'
import { languages } from '../query/language.js'

export function RunningQueries() {
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
        const button = (query: RunningQuery) => (
          <Button
            size="compact-xs"
            variant="light"
            color="red"
            aria-label={`Stop query ${query.id}`}
            onClick={() => stop(query)}
          >
            Stop
          </Button>
        )
        return (
          <QueryTable label="Running queries" list={all} last={['Stop', button]} hidesLastTitle />
        )
      }}
    </Loaded>
  )
}

/** More than these nobody mends today. */
const shownMax = 10

export function SlowestQueries() {
  const found = useSlowestQueries()
  return (
    <Loaded of={found} what="slowest queries">
      {(all) => {
        if (all.length === 0) return <p className="muted">None has ended yet.</p>
        const began = ({ startedAt }: SlowQuery) => (
          <span className="no-wrap" title={momentText(startedAt)}>
            {agoText(startedAt)}
          </span>
        )
        return (
          <QueryTable
            label="Slowest queries"
            list={all.slice(0, shownMax)}
            last={['Began', began]}
          />
        )
      }}
    </Loaded>
  )
}

interface QueryTableProps<T> {
  readonly label: string
  readonly list: readonly T[]
  readonly last: readonly [title: string, cell: (query: T) => ReactNode]
  readonly hidesLastTitle?: boolean
}

function QueryTable<T extends RunningQuery>(props: QueryTableProps<T>) {
  const { label, list, hidesLastTitle = false } = props
  const [title, cell] = props.last
  return (
    <div className="table-scroll">
      <table className="plain-table query-table" aria-label={label}>
        <thead>
          <tr>
            <th>Took</th>
            <th>Query</th>
            <th>Language</th>
            <th className="is-number">Rows read</th>
            <th className="is-number">Memory</th>
            <th>{hidesLastTitle ? <span className="hidden-text">{title}</span> : title}</th>
          </tr>
        </thead>
        <tbody>
          {list.map((query) => (
            <tr key={query.id}>
              <td className="mono no-wrap">{durationText(query.elapsedMs)}</td>
              <td>
                <span className="query-text mono" title={query.query.slice(0, 1000)}>
                  {query.query.slice(0, 300)}
                </span>
              </td>
              <td className="no-wrap">{languageName(query.language)}</td>
              <td className="is-number no-wrap">{shortCount(query.rowsRead ?? 0)}</td>
              <td className="is-number no-wrap">{bytesText(query.memoryBytes ?? 0)}</td>
              <td>{cell(query)}</td>
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

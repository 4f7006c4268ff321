// How the service is doing: health, what comes in and goes out each second, memory and disk; queries, usage and limits
// below. Looks again every five seconds.

import { useRef } from 'react'
import { isOperator } from '../api/accounts.js'
import { type Figures, useFigures, useHealth } from '../api/status.js'
import { isCluster } from '../api/variant.js'
import { bytesText, countText, durationText, shortCount } from '../parts/figures.js'
import { Page } from '../parts/page.js'
import { Loaded } from '../parts/states.js'
import { useHere } from '../shell/here.js'
import { RunningQueries, SlowestQueries } from './queries.js'
import { Configuration, UsageAndLimits } from './usage.js'

export function StatusPage() {
  const health = useHealth()
  const figures = useFigures()
  const { me } = useHere()
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
      <h2>Slowest of the last hour</h2>
      <SlowestQueries />
      {!isCluster() && <UsageAndLimits />}
      {!isCluster() && isOperator(me.permissions) && <Configuration />}
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

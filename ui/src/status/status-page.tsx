// How the service is doing: health, what comes in and goes out each second, memory and disk; queries, usage and limits
// below. Looks again every five seconds.

import { useRef } from 'react'
import { isOperator } from '../api/accounts.js'
import { type Figures, queryRequests, useFigures, useHealth } from '../api/status.js'
import { isCluster } from '../api/variant.js'
import { bytesText, countText, durationText, shortCount } from '../parts/figures.js'
import { Page } from '../parts/page.js'
import { Sparkline } from '../parts/sparkline.js'
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

type Tile = readonly [name: string, text: string, grown?: readonly number[]]

function Tiles({ now }: { readonly now: Figures }) {
  const rates = useRates(now)
  const value = (name: string) => now.values.get(name) ?? 0
  const rate = (title: string, name: string): Tile => {
    const grown = rates(name)
    const last = grown.at(-1)
    return [title, last === undefined ? '… / s' : `${shortCount(last)} / s`, grown]
  }
  const tiles: readonly Tile[] = [
    ['Up', durationText(value('process_uptime_seconds') * 1000)],
    rate('Points written', 'millrace_write_points_total'),
    rate('Queries', queryRequests),
    rate('Requests', 'millrace_http_requests_total'),
    ['Points refused', countText(value('millrace_write_points_rejected_total'))],
    ['Series', shortCount(value('millrace_store_series'))],
    ['Memory', bytesText(value('process_resident_memory_bytes'))],
    ['Segments on disk', bytesText(value('millrace_store_segment_bytes'))],
    ['Not flushed yet', bytesText(value('millrace_store_memtable_bytes'))],
    ['Own failures', countText(value('millrace_http_internal_errors_total'))],
  ]
  return (
    <dl className="tiles">
      {tiles.map(([name, text, grown]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="mono">{text}</dd>
          {grown !== undefined && <Sparkline values={grown} />}
        </div>
      ))}
    </dl>
  )
}

const keptMax = 60

/** What a counter grew by in a second, between each two looks since the page was opened. */
function useRates(now: Figures): (name: string) => number[] {
  const seen = useRef<Figures[]>([])
  if (seen.current.at(-1)?.at !== now.at) seen.current = [...seen.current, now].slice(-keptMax)
  const looks = seen.current
  return (name) =>
    looks.slice(1).map(({ at, values }, i) => {
      const grown = (values.get(name) ?? 0) - (looks[i].values.get(name) ?? 0)
      return Math.max(0, Math.round((grown * 10_000) / (at - looks[i].at)) / 10)
    })
}

// What is the matter now: the last status of every series, the worst first. Those that are well are counted, and shown
// on demand.

import { Button } from '@mantine/core'
import { useState } from 'react'
import { useDefinitions } from '../api/alerts.js'
import { agoText, momentText, plural } from '../parts/figures.js'
import { Link } from '../parts/link.js'
import { Mark } from '../parts/mark.js'
import { Empty, Loaded } from '../parts/states.js'
import { useHere } from '../shell/here.js'
import { LevelMark, severity } from './level-mark.js'
import { type SeriesStatus, tagsText, useStatusesNow } from './statuses.js'

export function NowTab() {
  const { org } = useHere()
  const checks = useDefinitions('checks', org.id)
  const found = useStatusesNow(org.id)
  const [hasAll, setAll] = useState(false)
  return (
    <Loaded of={checks} what="checks">
      {(known) =>
        known.length === 0 ? (
          <Empty
            title="Nothing is watched yet"
            action={<Link href="/alerts/checks/new">Make the first check</Link>}
          >
            A check gives every series a level at each interval; a rule tells people of it.
          </Empty>
        ) : (
          <Loaded of={found} what="statuses">
            {(statuses) => {
              // A check that is gone says nothing any more.
              const ids = new Set(known.map(({ id }) => id))
              const all = statuses
                .filter(({ checkId }) => ids.has(checkId))
                .sort((a, b) => severity(a.level) - severity(b.level) || (a.time < b.time ? 1 : -1))
              const wrong = all.filter(({ level }) => level !== 'ok')
              const good = all.length - wrong.length
              return (
                <div className="stack">
                  {wrong.length === 0 && <AllWell seriesCount={all.length} />}
                  {(wrong.length > 0 || hasAll) && <Statuses list={hasAll ? all : wrong} />}
                  {good > 0 && (
                    <p className="row">
                      <Mark tone="good">{plural(good, 'series is ok', 'series are ok')}</Mark>
                      <Button size="compact-xs" variant="subtle" onClick={() => setAll(!hasAll)}>
                        {hasAll ? 'Hide them' : 'Show them'}
                      </Button>
                    </p>
                  )}
                </div>
              )
            }}
          </Loaded>
        )
      }
    </Loaded>
  )
}

function AllWell({ seriesCount }: { readonly seriesCount: number }) {
  if (seriesCount === 0) {
    return <Empty title="No status yet">The first one comes when a check has run.</Empty>
  }
  return <Empty title="All is well" />
}

function Statuses({ list }: { readonly list: readonly SeriesStatus[] }) {
  return (
    <div className="table-scroll">
      <table className="plain-table">
        <thead>
          <tr>
            <th>Level</th>
            <th>Check</th>
            <th>Series</th>
            <th>Message</th>
            <th>Last said</th>
          </tr>
        </thead>
        <tbody>
          {list.map(({ checkId, checkName, level, tags, message, time }) => (
            <tr key={`${checkId} ${tagsText(tags)}`}>
              <td>
                <LevelMark level={level} />
              </td>
              <td>
                <Link href={`/alerts/checks/${checkId}`}>{checkName}</Link>
              </td>
              <td className="mono">{tagsText(tags)}</td>
              <td>{message}</td>
              <td className="no-wrap" title={momentText(time)}>
                {agoText(time)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

// What is the matter now: the last status of every series, the worst first. Those that are well are counted, and shown
// on demand, and so are those of which nothing was said lately.

import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { type Check, useDefinitions } from '../api/alerts.js'
import { examples } from '../parts/examples.js'
import { agoText, durationText, momentText, plural } from '../parts/figures.js'
import { Link } from '../parts/link.js'
import { Mark } from '../parts/mark.js'
import { Empty, Loaded } from '../parts/states.js'
import { useHere } from '../shell/here.js'
import { LevelMark, severity } from './level-mark.js'
import { type SeriesStatus, tagsText, useStatusesNow } from './statuses.js'
import { unheardOf } from './unheard.js'

export function NowTab() {
  const { org } = useHere()
  const checks = useDefinitions('checks', org.id)
  const found = useStatusesNow(org.id)
  return (
    <Loaded of={checks} what="checks">
      {(known) =>
        known.length === 0 ? (
          <Empty
            title="Nothing is watched yet"
            action={<Link href="/alerts/checks/new">Make the first check</Link>}
            example={examples.check(org.id)}
          >
            A check gives every series a level at each interval; a rule tells people of it.
          </Empty>
        ) : (
          <Loaded of={found} what="statuses">
            {(statuses) => <Now checks={known} statuses={statuses} at={found.dataUpdatedAt} />}
          </Loaded>
        )
      }
    </Loaded>
  )
}

interface NowProps {
  readonly checks: readonly Check[]
  readonly statuses: readonly SeriesStatus[]
  /** When they were asked for. */
  readonly at: number
}

function Now({ checks, statuses, at }: NowProps) {
  const [hasGood, setGood] = useState(false)
  const [hasUnheard, setUnheard] = useState(false)
  // A check that is gone says nothing any more.
  const ids = new Set(checks.map(({ id }) => id))
  const all = statuses
    .filter(({ checkId }) => ids.has(checkId))
    .sort((a, b) => severity(a.level) - severity(b.level) || (a.time < b.time ? 1 : -1))
  const unheard = unheardOf(checks, all, at)
  const silent = new Set(unheard.flatMap((group) => group.statuses))
  const isWrong = ({ level }: SeriesStatus) => level !== 'ok'
  const good = all.filter((status) => !isWrong(status) && !silent.has(status)).length
  const list = all.filter(
    (status) => isWrong(status) || (silent.has(status) ? hasUnheard : hasGood),
  )
  return (
    <div className="stack">
      {!all.some(isWrong) && silent.size === 0 && <AllWell seriesCount={all.length} />}
      {list.length > 0 && <Statuses list={list} />}
      {good > 0 && (
        <Counted isShown={hasGood} onShow={setGood}>
          <Mark tone="good">{plural(good, 'series is ok', 'series are ok')}</Mark>
        </Counted>
      )}
      {unheard.map(({ afterMs, statuses: these }) => (
        // Those that are not well stand in the list already.
        <Counted
          key={afterMs}
          isShown={hasUnheard}
          onShow={these.every(isWrong) ? undefined : setUnheard}
        >
          <Mark tone="unsure">
            {`${plural(these.length, 'series', 'series')} not heard of for ${durationText(afterMs)}`}
          </Mark>
        </Counted>
      ))}
    </div>
  )
}

interface CountedProps {
  readonly isShown: boolean
  /** Undefined: there is nothing to show besides. */
  readonly onShow: ((isShown: boolean) => void) | undefined
  readonly children: ReactNode
}

function Counted({ isShown, onShow, children }: CountedProps) {
  return (
    <p className="row">
      {children}
      {onShow !== undefined && (
        <Button size="compact-xs" variant="subtle" onClick={() => onShow(!isShown)}>
          {isShown ? 'Hide them' : 'Show them'}
        </Button>
      )}
    </p>
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

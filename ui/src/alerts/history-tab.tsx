// What was: statuses of a span, of all checks or one, and the messages that
// went out because of them.

import { Select } from '@mantine/core'
import { useState } from 'react'
import { useDefinitions } from '../api/alerts.js'
import { momentText } from '../parts/figures.js'
import { Mark } from '../parts/mark.js'
import { OneOf } from '../parts/one-of.js'
import { RangePicker } from '../parts/range-picker.js'
import { Empty, Loaded } from '../parts/states.js'
import type { TimeRange } from '../query/time-range.js'
import { useHere } from '../shell/here.js'
import { LevelMark } from './level-mark.js'
import { historyMax, tagsText, useHistory, useTold } from './statuses.js'

type What = 'statuses' | 'messages'

export function HistoryTab() {
  const { org } = useHere()
  const { data: checks = [] } = useDefinitions('checks', org.id)
  const [range, setRange] = useState<TimeRange>({ kind: 'past', duration: '6h' })
  const [what, setWhat] = useState<What>('statuses')
  const [checkId, setCheckId] = useState('')
  const choices = checks.map(({ id, name }) => ({ value: id, label: name }))
  return (
    <div className="stack">
      <div className="row">
        <OneOf
          aria-label="What is listed"
          data={[
            { value: 'statuses', label: 'Statuses' },
            { value: 'messages', label: 'Messages' },
          ]}
          value={what}
          onChange={(value) => setWhat(value as What)}
        />
        {what === 'statuses' && (
          <Select
            aria-label="Check"
            size="xs"
            data={[{ value: '', label: 'all checks' }, ...choices]}
            value={checkId}
            onChange={(value) => setCheckId(value ?? '')}
          />
        )}
        <RangePicker range={range} onChange={setRange} />
      </div>
      {what === 'statuses' ? (
        <Statuses range={range} checkId={checkId === '' ? undefined : checkId} />
      ) : (
        <Messages range={range} />
      )}
    </div>
  )
}

interface StatusesProps {
  readonly range: TimeRange
  readonly checkId: string | undefined
}

function Statuses({ range, checkId }: StatusesProps) {
  const { org } = useHere()
  const found = useHistory(org.id, range, checkId)
  return (
    <Loaded of={found} what="statuses">
      {(list) =>
        list.length === 0 ? (
          <Empty title="No status in this span" />
        ) : (
          <>
            <div className="table-scroll">
              <table className="plain-table">
                <thead>
                  <tr>
                    <th>When</th>
                    <th>Level</th>
                    <th>Check</th>
                    <th>Series</th>
                    <th>Message</th>
                  </tr>
                </thead>
                <tbody>
                  {list.map(({ time, level, checkName, tags, message }) => (
                    <tr key={`${time} ${checkName} ${tagsText(tags)}`}>
                      <td className="no-wrap">{momentText(time)}</td>
                      <td>
                        <LevelMark level={level} />
                      </td>
                      <td>{checkName}</td>
                      <td className="mono">{tagsText(tags)}</td>
                      <td>{message}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            <Cut count={list.length} />
          </>
        )
      }
    </Loaded>
  )
}

function Messages({ range }: { readonly range: TimeRange }) {
  const { org } = useHere()
  const found = useTold(org.id, range)
  return (
    <Loaded of={found} what="messages">
      {(list) =>
        list.length === 0 ? (
          <Empty title="No message in this span" />
        ) : (
          <>
            <div className="table-scroll">
              <table className="plain-table">
                <thead>
                  <tr>
                    <th>When</th>
                    <th>Taken</th>
                    <th>Level</th>
                    <th>Rule</th>
                    <th>To</th>
                    <th>Message</th>
                  </tr>
                </thead>
                <tbody>
                  {list.map(({ time, level, rule, endpoint, message, isSent, tags }) => (
                    <tr key={`${time} ${rule} ${tagsText(tags)} ${message}`}>
                      <td className="no-wrap">{momentText(time)}</td>
                      <td>
                        <Mark tone={isSent ? 'good' : 'bad'}>{isSent ? 'yes' : 'no'}</Mark>
                      </td>
                      <td>
                        <LevelMark level={level} />
                      </td>
                      <td>{rule}</td>
                      <td>{endpoint}</td>
                      <td>{message}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            <Cut count={list.length} />
          </>
        )
      }
    </Loaded>
  )
}

function Cut({ count }: { readonly count: number }) {
  if (count < historyMax) return null
  return <p className="muted small">The latest {historyMax}. A shorter span shows the others.</p>
}

// What a check, as it is saved, would have said in the past: counted by level, with every change of a level listed.
// Nothing is written and nobody is told.

import { Button, Select } from '@mantine/core'
import { useState } from 'react'
import { type Check, type CheckTest, type TestedStatus, testCheck } from '../api/alerts.js'
import { countText, momentText, plural } from '../parts/figures.js'
import { Failed } from '../parts/states.js'
import { LevelMark, severity } from './level-mark.js'
import { tagsText } from './statuses.js'

const spans = [
  { value: '3600', label: 'last hour' },
  { value: '21600', label: 'last 6 hours' },
  { value: '86400', label: 'last day' },
]
const changesShown = 50

export interface CheckTrialProps {
  readonly check: Check
  readonly lacking: string | undefined
}

export function CheckTrial({ check, lacking }: CheckTrialProps) {
  const [span, setSpan] = useState('3600')
  const [found, setFound] = useState<CheckTest>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const start = async () => {
    setBusy(true)
    setError(undefined)
    try {
      const from = new Date(Date.now() - Number(span) * 1000).toISOString()
      setFound(await testCheck(check.id, from))
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  return (
    <section className="stack" aria-label="Try it">
      <h2>What it would have said</h2>
      <div className="row row-end">
        <Select
          label="Over the"
          data={spans}
          value={span}
          onChange={(value) => setSpan(value ?? '3600')}
        />
        <Button
          variant="default"
          loading={isBusy}
          disabled={lacking !== undefined}
          title={lacking}
          onClick={start}
        >
          Try
        </Button>
      </div>
      {error !== undefined && <Failed error={error} what="Trying" />}
      {found !== undefined && !isBusy && <Found {...found} />}
    </section>
  )
}

function Found({ runs, statuses, errors }: CheckTest) {
  const counts = new Map<string, number>()
  for (const { level } of statuses) counts.set(level, (counts.get(level) ?? 0) + 1)
  const byLevel = [...counts].sort(([a], [b]) => severity(a) - severity(b))
  const changes = changesOf(statuses)
  return (
    <>
      <p className="row" role="status">
        {plural(runs, 'run')}:{byLevel.length === 0 && ' no status'}
        {byLevel.map(([level, count]) => (
          <span key={level}>
            {countText(count)} × <LevelMark level={level} />
          </span>
        ))}
      </p>
      {errors.length > 0 && (
        <p className="bad">
          {plural(errors.length, 'run')} failed: {errors[0].error}
        </p>
      )}
      {changes.length > 0 && (
        <div className="table-scroll">
          <table className="plain-table">
            <thead>
              <tr>
                <th>For</th>
                <th>Became</th>
                <th>Series</th>
                <th>Message</th>
              </tr>
            </thead>
            <tbody>
              {changes.slice(0, changesShown).map(({ time, level, tags, message }) => (
                <tr key={`${time} ${tagsText(shownTags(tags))}`}>
                  <td className="no-wrap">{momentText(time)}</td>
                  <td>
                    <LevelMark level={level} />
                  </td>
                  <td className="mono">{tagsText(shownTags(tags))}</td>
                  <td>{message}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {changes.length > changesShown && (
        <p className="muted small">
          The first {changesShown} of {plural(changes.length, 'change')}.
        </p>
      )}
    </>
  )
}

/** Where a series has another level than before. */
function changesOf(statuses: readonly TestedStatus[]): TestedStatus[] {
  const last = new Map<string, string>()
  return [...statuses]
    .sort((a, b) => (a.time < b.time ? -1 : 1))
    .filter(({ tags, level }) => {
      const key = tagsText(shownTags(tags))
      const isNew = last.get(key) !== level
      last.set(key, level)
      return isNew
    })
}

function shownTags(tags: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(tags).filter(([name]) => !name.startsWith('_')))
}

// Above the explorer: language, range, refresh, run and
// stop, and what was asked before.

import { Button, Select } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { watchPoints } from '../api/live.js'
import { isCluster } from '../api/variant.js'
import { Icon } from '../parts/icons.js'
import { OneOf } from '../parts/one-of.js'
import { RangePicker } from '../parts/range-picker.js'
import { type Language, languages } from '../query/language.js'
import type { Change, ExploreState } from './explore-state.js'
import { HistoryMenu } from './history-menu.js'

export interface QueryBarProps {
  readonly state: ExploreState
  readonly bucketId: string
  readonly isRunning: boolean
  readonly onChange: Change
  readonly onText: (text: string) => void
  readonly onRun: () => void
  readonly onStop: () => void
}

const refreshes = [
  { value: '0', label: 'No refresh' },
  { value: 'live', label: 'Live' },
  { value: '10', label: 'Every 10 s' },
  { value: '30', label: 'Every 30 s' },
  { value: '60', label: 'Every minute' },
  { value: '300', label: 'Every 5 minutes' },
]

export function QueryBar(props: QueryBarProps) {
  const { state, bucketId, isRunning, onChange, onRun, onStop } = props
  const [refresh, setRefresh] = useState('0')
  useRefresh(refresh === 'live' ? 0 : Number(refresh), isRunning, onRun)
  useLive(refresh === 'live' ? bucketId : undefined, isRunning, onRun)
  return (
    <>
      <OneOf
        aria-label="Language"
        value={state.language}
        data={languages.filter(({ value }) => value !== 'flux' || !isCluster())}
        onChange={(language) => onChange({ language: language as Language })}
      />
      <RangePicker range={state.range} onChange={(range) => onChange({ range })} />
      <Select
        size="xs"
        w={140}
        aria-label="Refresh"
        data={refreshes}
        value={refresh}
        onChange={(value) => setRefresh(value ?? '0')}
      />
      <HistoryMenu
        onChoose={({ language, text }) =>
          onChange({ language, drafts: { ...state.drafts, [language]: text } })
        }
      />
      {isRunning ? (
        <Button
          size="xs"
          color="red"
          variant="light"
          leftSection={<Icon name="stop" size={12} />}
          onClick={onStop}
        >
          Stop
        </Button>
      ) : (
        <Button
          size="xs"
          leftSection={<Icon name="play" size={12} />}
          title="Ctrl Enter"
          onClick={onRun}
        >
          Run
        </Button>
      )}
    </>
  )
}

/** Not while the last one runs, and not while nobody looks. */
function useRefresh(seconds: number, isRunning: boolean, onRun: () => void): void {
  const latest = useRef({ isRunning, onRun })
  latest.current = { isRunning, onRun }
  useEffect(() => {
    if (seconds === 0) return
    const timer = setInterval(() => {
      if (!latest.current.isRunning && !document.hidden) latest.current.onRun()
    }, seconds * 1000)
    return () => clearInterval(timer)
  }, [seconds])
}

/** No more often than this, however many points come. */
const liveMs = 1000

/** Asks again when points have come into the bucket. */
function useLive(bucketId: string | undefined, isRunning: boolean, onRun: () => void): void {
  const latest = useRef({ isRunning, onRun })
  latest.current = { isRunning, onRun }
  useEffect(() => {
    if (bucketId === undefined) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const again = () => {
      timer = undefined
      // What came meanwhile is in the next answer.
      if (latest.current.isRunning || document.hidden) timer = setTimeout(again, liveMs)
      else latest.current.onRun()
    }
    const leave = watchPoints(bucketId, undefined, () => {
      timer ??= setTimeout(again, liveMs)
    })
    return () => {
      clearTimeout(timer)
      leave()
    }
  }, [bucketId])
}

// Range, refresh and choices of an open dashboard, kept in step with the URL, and the moments that
// all of its cells ask about.

import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { type Moments, momentsOf, type TimeRange } from '../query/time-range.js'
import { type BoardState, printBoardState, readBoardState } from './board-state.js'

/** With the ranges before the last ones: a double click on a chart goes back. */
export function useBoardState() {
  const [state, setState] = useState(() => readBoardState(location.search))
  const before = useRef<TimeRange[]>([])
  const change = useCallback((part: Partial<BoardState>) => {
    setState((old) => {
      if (part.range !== undefined) before.current = [...before.current, old.range].slice(-50)
      return { ...old, ...part }
    })
  }, [])
  const back = useCallback(() => {
    const range = before.current.pop()
    if (range !== undefined) setState((old) => ({ ...old, range }))
  }, [])
  useEffect(() => {
    history.replaceState(history.state, '', `${location.pathname}${printBoardState(state)}`)
  }, [state])
  return useMemo(() => ({ state, change, back }), [state, change, back])
}

/** The moments that all cells ask about; they move on with each refresh, which waits for slow answers. */
export function useBoardMoments(
  { range, refreshSeconds }: BoardState,
  isBusy: () => boolean,
): { readonly moments: Moments; readonly refresh: () => void } {
  const [now, setNow] = useState(Date.now)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another range begins with the present
  useEffect(() => setNow(Date.now()), [range])
  const latest = useRef(isBusy)
  latest.current = isBusy
  useEffect(() => {
    if (refreshSeconds === 0) return
    const timer = setInterval(() => {
      if (!document.hidden && !latest.current()) setNow(Date.now())
    }, refreshSeconds * 1000)
    return () => clearInterval(timer)
  }, [refreshSeconds])
  const moments = useMemo(() => momentsOf(range, now), [range, now])
  const refresh = useCallback(() => setNow(Date.now()), [])
  return { moments, refresh }
}

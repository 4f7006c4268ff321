// Running one question after the other for one place of a page: a new one stops the one before, what was shown last
// stays until the next answer is there.

import { useCallback, useEffect, useRef, useState } from 'react'
import type { Question } from './language.js'
import type { Failure, Result } from './result.js'
import { type Progress, QueryFailure, runQuestion } from './run.js'

export interface RunState {
  readonly isRunning: boolean
  readonly startedAt: number
  readonly progress: Progress | undefined
  readonly result: Result | undefined
  /** Of the result. */
  readonly question: Question | undefined
  readonly failure: Failure | undefined
}

const idle: RunState = {
  isRunning: false,
  startedAt: 0,
  progress: undefined,
  result: undefined,
  question: undefined,
  failure: undefined,
}

export function useRun() {
  const [state, setState] = useState<RunState>(idle)
  const controller = useRef<AbortController | null>(null)
  const stop = useCallback(() => {
    controller.current?.abort()
    setState((before) => ({ ...before, isRunning: false, progress: undefined }))
  }, [])
  const run = useCallback((question: Question) => {
    controller.current?.abort()
    const own = new AbortController()
    controller.current = own
    const { signal } = own
    setState((before) => ({
      ...before,
      isRunning: true,
      startedAt: Date.now(),
      progress: undefined,
    }))
    runQuestion(question, signal, (progress) => {
      if (!signal.aborted) setState((before) => ({ ...before, progress }))
    }).then(
      (result) => {
        if (!signal.aborted) setState({ ...idle, result, question })
      },
      (error: unknown) => {
        if (signal.aborted) return
        const failure = error instanceof QueryFailure ? error.failure : { message: String(error) }
        setState((before) => ({ ...before, isRunning: false, progress: undefined, failure }))
      },
    )
  }, [])
  useEffect(() => () => controller.current?.abort(), [])
  return { state, run, stop }
}

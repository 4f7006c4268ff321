// Running one question after the other for one place of a page: a new one stops the one before, what was shown last
// stays until the next answer is there.

import { useCallback, useEffect, useRef, useState } from 'react'
import type { Question } from './language.js'
import type { Failure, Result } from './result.js'
import { newRequestId, type Progress, QueryFailure, runQuestion } from './run.js'

export interface RunState {
  readonly isRunning: boolean
  readonly startedAt: number
  /** By which the service's list of running queries knows it. */
  readonly requestId: string
  /** Looked at by who shows it: a page that is drawn anew for every piece would cost more than the answer. */
  readonly progress: { readonly latest: Progress | undefined }
  readonly result: Result | undefined
  /** Of the result. */
  readonly question: Question | undefined
  readonly failure: Failure | undefined
}

const idle: RunState = {
  isRunning: false,
  startedAt: 0,
  requestId: '',
  progress: { latest: undefined },
  result: undefined,
  question: undefined,
  failure: undefined,
}

export function useRun() {
  const [state, setState] = useState<RunState>(idle)
  const controller = useRef<AbortController | null>(null)
  const stop = useCallback(() => {
    controller.current?.abort()
    setState((before) => ({ ...before, isRunning: false }))
  }, [])
  const run = useCallback((question: Question) => {
    controller.current?.abort()
    const own = new AbortController()
    controller.current = own
    const { signal } = own
    const progress: { latest: Progress | undefined } = { latest: undefined }
    const requestId = newRequestId()
    const begun = { isRunning: true, startedAt: Date.now(), requestId, progress }
    setState((before) => ({ ...before, ...begun }))
    const onProgress = (latest: Progress) => {
      progress.latest = latest
    }
    runQuestion(question, signal, { onProgress, requestId }).then(
      (result) => {
        if (!signal.aborted) setState({ ...idle, result, question })
      },
      (error: unknown) => {
        if (signal.aborted) return
        const failure = error instanceof QueryFailure ? error.failure : { message: String(error) }
        setState((before) => ({ ...before, isRunning: false, failure }))
      },
    )
  }, [])
  useEffect(() => () => controller.current?.abort(), [])
  return { state, run, stop }
}

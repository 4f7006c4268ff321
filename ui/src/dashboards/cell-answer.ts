// The answer that a cell shows: its queries are asked when it comes in sight, and again when something in them has
// changed. What was shown last stays until the next answer is there.

import { type RefObject, useEffect, useRef, useState } from 'react'
import type { Question } from '../query/language.js'
import type { Failure, Result } from '../query/result.js'
import { QueryFailure } from '../query/run.js'
import type { SharedQuestions } from '../query/shared-questions.js'

export interface CellAnswer {
  readonly result: Result | undefined
  readonly failure: Failure | undefined
  readonly isRunning: boolean
}

const nothing: CellAnswer = { result: undefined, failure: undefined, isRunning: false }

export interface CellAsking {
  /** Undefined: not all that they need is known yet. */
  readonly questions: readonly Question[] | undefined
  readonly isInSight: boolean
  readonly shared: SharedQuestions
}

export function useCellAnswer({ questions, isInSight, shared }: CellAsking) {
  const [answer, setAnswer] = useState(nothing)
  const [attempt, setAttempt] = useState(0)
  const asked = useRef<string>(undefined)
  const key = questions === undefined ? undefined : JSON.stringify([questions, attempt])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key holds the questions
  useEffect(() => {
    if (key === undefined || questions === undefined || !isInSight || asked.current === key) return
    const controller = new AbortController()
    asked.current = key
    setAnswer((before) => ({ ...before, isRunning: true }))
    Promise.all(questions.map((question) => shared.ask(question, controller.signal))).then(
      (results) => setAnswer({ result: joined(results), failure: undefined, isRunning: false }),
      (error: unknown) => {
        if (controller.signal.aborted) return
        const failure = error instanceof QueryFailure ? error.failure : { message: String(error) }
        setAnswer({ result: undefined, failure, isRunning: false })
      },
    )
    return () => {
      controller.abort()
      // Strict mode and a quick change: what was stopped was not asked.
      asked.current = undefined
    }
  }, [key, isInSight])
  return { answer, retry: () => setAttempt((count) => count + 1) }
}

function joined(results: readonly Result[]): Result {
  if (results.length === 1) return results[0]
  const stoppedAt = results.find((result) => result.stoppedAt !== undefined)?.stoppedAt
  return {
    tables: results.flatMap(({ tables }) => tables),
    rowCount: results.reduce((sum, { rowCount }) => sum + rowCount, 0),
    byteCount: results.reduce((sum, { byteCount }) => sum + byteCount, 0),
    elapsedMs: Math.max(0, ...results.map(({ elapsedMs }) => elapsedMs)),
    ...(stoppedAt === undefined ? {} : { stoppedAt }),
  }
}

/** Whether an element is, or nearly is, in the window; once seen, cells below stay asked. */
export function useInSight(element: RefObject<HTMLElement | null>): boolean {
  const [isInSight, setInSight] = useState(false)
  useEffect(() => {
    const { current } = element
    if (current === null) return
    const observer = new IntersectionObserver(
      (entries) => setInSight(entries.some((entry) => entry.isIntersecting)),
      { rootMargin: '200px' },
    )
    observer.observe(current)
    return () => observer.disconnect()
  }, [element])
  return isInSight
}

// The variables of an open dashboard, resolved whenever a choice, the range or a query of
// theirs changes.

import { useEffect, useMemo, useState } from 'react'
import type { Bucket } from '../api/buckets.js'
import type { Cell } from '../api/dashboards.js'
import type { Variable } from '../api/variables.js'
import type { Variables } from '../query/language.js'
import type { SharedQuestions } from '../query/shared-questions.js'
import { momentsOf, type TimeRange, windowSeconds } from '../query/time-range.js'
import { bucketIdOf } from './board.js'
import {
  resolveVariables,
  usedVariables,
  type VariableOptions,
  valuesOf,
  variablesFor,
} from './variable-values.js'
import { queriesOf } from './view-properties.js'

export interface VariableUse {
  readonly orgId: string
  readonly all: readonly Variable[] | undefined
  readonly buckets: readonly Bucket[] | undefined
  readonly cells: readonly Cell[]
  readonly chosen: Variables
  readonly range: TimeRange
  readonly shared: SharedQuestions
}

export function useVariableValues(use: VariableUse) {
  const { orgId, all, buckets, cells, chosen, range, shared } = use
  const used = useMemo(() => {
    if (all === undefined) return undefined
    return usedVariables(
      all,
      cells.flatMap(({ properties }) => queriesOf(properties)),
    )
  }, [all, cells])
  const [known, setKnown] = useState<readonly VariableOptions[]>([])
  const key = JSON.stringify([used, chosen, range, buckets === undefined])
  const [resolvedKey, setResolvedKey] = useState('')

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key holds what matters
  useEffect(() => {
    if (used === undefined || buckets === undefined) return
    const controller = new AbortController()
    const { signal } = controller
    // Not moved on by a refresh: which hosts there are does not change every ten seconds.
    const moments = momentsOf(range, Math.floor(Date.now() / 60_000) * 60_000)
    const ask: Parameters<typeof resolveVariables>[2] = ({ text, language, bucket }, values) =>
      shared.ask(
        {
          text,
          language,
          orgId,
          bucketId: bucketIdOf(buckets, bucket),
          moments,
          windowSeconds: windowSeconds(moments, 400),
          variables: variablesFor({ text, language }, values),
        },
        signal,
      )
    const tell = (list: readonly VariableOptions[]) => {
      if (!signal.aborted) setKnown(list)
    }
    resolveVariables(used, chosen, ask, tell).then(
      () => {
        if (!signal.aborted) setResolvedKey(key)
      },
      () => {
        // Stopped: the next run tells.
      },
    )
    return () => controller.abort()
  }, [key])

  const isResolved = resolvedKey === key
  const values = useMemo(() => (isResolved ? valuesOf(known) : undefined), [isResolved, known])
  return { known, values }
}

// What is typed into the form of a check, and the definition that it becomes. What the form does not show is kept as
// it was.

import type { Check, Level, Threshold } from '../api/alerts.js'
import { fluxText } from '../query/print.js'

/** What a query is written from; a text that was edited by hand is never overwritten. */
export interface CheckSource {
  readonly bucket: string
  readonly measurement: string
  readonly field: string
  readonly fn: string
}

export interface CheckDraft {
  readonly name: string
  readonly type: Check['type']
  readonly text: string
  readonly source: CheckSource
  readonly every: string
  readonly message: string
  readonly thresholds: readonly Threshold[]
  readonly timeSince: string
  readonly level: Level
  readonly for: string
}

export const sourceFunctions = ['mean', 'max', 'min', 'last', 'count', 'sum']
const noSource: CheckSource = { bucket: '', measurement: '', field: '', fn: 'mean' }

export function draftOf(check: Check | undefined): CheckDraft {
  return {
    name: check?.name ?? '',
    type: check?.type ?? 'threshold',
    text: check?.query.text ?? '',
    source: noSource,
    every: check?.every ?? '1m',
    message: check?.statusMessageTemplate ?? '${ r._check_name } is ${ r._level }',
    thresholds: check?.thresholds ?? [{ type: 'greater', level: 'CRIT', value: 90 }],
    timeSince: check?.timeSince ?? '90s',
    level: check?.level ?? 'CRIT',
    for: check?.for ?? '',
  }
}

export function definitionOf(draft: CheckDraft, before: Check | undefined, orgID: string): object {
  const { name, type, text, every, message, thresholds, timeSince, level } = draft
  const { query, ...kept } = before ?? { status: 'active', query: {} }
  const shared = {
    ...kept,
    orgID,
    name,
    type,
    query: { ...query, text },
    ...(draft.for === '' ? { for: undefined } : { for: draft.for }),
  }
  if (type === 'custom') return shared
  const timed = { ...shared, every, statusMessageTemplate: message }
  return type === 'threshold' ? { ...timed, thresholds } : { ...timed, timeSince, level }
}

/** Undefined: something is not chosen yet. */
export function sourceText(source: CheckSource, type: Check['type']): string | undefined {
  const { bucket, measurement, field, fn } = source
  if (bucket === '' || measurement === '' || field === '') return undefined
  const read =
    `from(bucket: ${fluxText(bucket)})\n` +
    '    |> range(start: v.timeRangeStart, stop: v.timeRangeStop)\n' +
    `    |> filter(fn: (r) => r._measurement == ${fluxText(measurement)} and r._field == ${fluxText(field)})`
  // Whether there are points at all is asked of the points themselves.
  if (type === 'deadman') return read
  return `${read}\n    |> aggregateWindow(every: v.windowPeriod, fn: ${fn}, createEmpty: false)`
}

// What was not written of a batch, told in the words of InfluxDB 1,
// of InfluxDB 2, or of the cluster's contract.

import { limits } from '../../config.js'
import { type RefusedLine, WriteError } from '../../errors.js'
import type { LineError } from '../../line-protocol/parser.js'
import type { WriteOutcome } from './writes.js'

/** In whose words failures are told: those of InfluxDB 1, 2 or the cluster's contract. */
export type FailureForm = 'v1' | 'v2' | 'cluster'

/** The error that tells what was not written; undefined where everything was. */
export function writeFailure(
  outcome: WriteOutcome,
  form: FailureForm,
  /** Whether what was refused is also told line by line. */
  hasList = false,
): WriteError | undefined {
  const { writtenCount, malformedCount, rejectedCount, malformed, rejected } = outcome
  // A point that only lost a field is told among the rejected ones, though it counts as written.
  if (malformedCount + rejected.length === 0) return undefined
  const line = Math.min(
    malformed[0]?.line ?? Number.POSITIVE_INFINITY,
    rejected[0]?.line ?? Number.POSITIVE_INFINITY,
  )
  const perLine = form === 'v2' ? undefined : lineTexts(outcome)
  if (form === 'cluster' && perLine !== undefined) return new WriteError(perLine, { line })
  const list = hasList ? { refused: refusedLines(outcome) } : {}
  const details = { line, ...list, ...(perLine === undefined ? {} : { perLine }) }
  // Many points fail for one reason: each reason is told once.
  const reasons = new Set(rejected.map((point) => point.reason))
  const texts = [...malformed.map(malformedText), ...reasons]
  const text = texts.slice(0, limits.reportedErrorsMax).join('\n')
  if (rejected.length === 0 && writtenCount === 0) return new WriteError(text, details)
  if (rejected.length === 0 && form === 'v2') {
    return new WriteError(`partial write error (${writtenCount} written): ${text}`, details)
  }
  // As InfluxDB counts: points that the store dropped, not lines that were none.
  return new WriteError(`partial write: ${text} dropped=${rejectedCount}`, details)
}

function refusedLines({ malformed, rejected }: WriteOutcome): RefusedLine[] {
  const all = [
    ...malformed.map(({ line, reason }) => ({ line, message: reason })),
    ...rejected.map(({ line, reason }) => ({ line, message: reason })),
  ]
  return all.sort((a, b) => a.line - b.line).slice(0, limits.reportedErrorsMax)
}

/** Each malformed line and each rejected point by its line, as many of them as the contract promises. */
function lineTexts({ writtenCount, malformed, rejected }: WriteOutcome): string {
  const told = [
    ...malformed.map((error) => ({
      line: error.line,
      text: lineText('parsing', error.line, malformedText(error)),
    })),
    ...rejected.map(({ line, reason }) => ({ line, text: lineText('writing', line, reason) })),
  ]
  told.sort((a, b) => a.line - b.line)
  const texts = told.slice(0, limits.reportedErrorsMax).map(({ text }) => text)
  const what = writtenCount === 0 ? 'no data written' : 'partial write has occurred'
  return [`${what}, errors encountered on line(s):`, ...texts].join('\n')
}

function lineText(step: 'parsing' | 'writing', line: number, reason: string): string {
  return `error ${step} line ${line} (1-based): ${reason}`
}

/** Characters of a malformed line that are shown. Lines can be as long as the body. */
const shownLineMax = 1000

function malformedText(error: LineError): string {
  const { message, reason } = error
  if (message.length <= shownLineMax + reason.length) return message
  return `${message.slice(0, shownLineMax)}...': ${reason}`
}

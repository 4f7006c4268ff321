// What was found in line protocol before it is sent: points by measurement with their fields and times, and every line
// that the service would refuse, with its reason.

import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import type { Precision } from '../api/buckets.js'
import { countText, momentText, plural } from '../parts/figures.js'
import type { CheckedLines, CheckedMeasurement } from '../query/check-lines.js'
import { lineCount } from './line-text.js'

const shownMax = 20
/** Above this only the service looks: the page would stand still while it reads. */
const checkedCharactersMax = 5_000_000

export interface LinesFoundProps {
  readonly text: string
  readonly precision: Precision
}

export function LinesFound({ text, precision }: LinesFoundProps) {
  const [typed] = useDebouncedValue(text, 150)
  const found = useChecked(typed, precision)
  if (found === undefined) return null
  const { lineCount: lines, errorCount, errors, measurements } = found
  return (
    <div className="lines-found small" role="status">
      {measurements.slice(0, shownMax).map((one) => (
        <p key={one.name}>
          <span className="good">✓</span> {measurementText(one)}
        </p>
      ))}
      {measurements.length > shownMax && (
        <p className="muted">
          {shownMax} of {countText(measurements.length)} measurements
        </p>
      )}
      {errorCount > 0 && (
        <>
          <p className="bad">
            ✕ {plural(errorCount, 'line')} of {countText(lines)} would be refused:
          </p>
          <ul className="refused">
            {errors.slice(0, shownMax).map(({ line, message }) => (
              <li key={line}>
                line {line}: {message}
              </li>
            ))}
          </ul>
          {errorCount > shownMax && <p className="muted">The first {shownMax}.</p>}
        </>
      )}
    </div>
  )
}

function measurementText({ name, points, fields, from, to }: CheckedMeasurement): string {
  const times = from === to ? momentText(from) : `${momentText(from)} … ${momentText(to)}`
  return `${name}: ${plural(points, 'point')}, ${fields.join(', ')}; ${times}`
}

function useChecked(text: string, precision: Precision): CheckedLines | undefined {
  const [found, setFound] = useState<CheckedLines>()
  useEffect(() => {
    let isCurrent = true
    const isChecked = lineCount(text) > 0 && text.length <= checkedCharactersMax
    if (!isChecked) setFound(undefined)
    else {
      void import('../query/check-lines.js').then(({ checkLines }) => {
        if (isCurrent) setFound(checkLines(text, precision))
      })
    }
    return () => {
      isCurrent = false
    }
  }, [text, precision])
  return found
}

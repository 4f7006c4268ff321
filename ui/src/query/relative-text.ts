// A question as it is asked again and again, by tasks, scripts and agents that send no range along: range and window
// are told from now, in the words of the language, and stand in the text itself.

import { type Question, replaceOutsideQuotes } from './language.js'
import { windowText } from './time-range.js'

export function relativeText({ language, text, moments, windowSeconds }: Question): string {
  const seconds = Math.max(1, Math.round((moments.to - moments.from) / 1000))
  if (language === 'flux') return relativeFlux(text, windowText(seconds), windowText(windowSeconds))
  const ago =
    language === 'sql' ? `now() - INTERVAL '${seconds} seconds'` : `now() - ${windowText(seconds)}`
  return replaceOutsideQuotes(text, {
    timeFilter: `time >= ${ago} AND time < now()`,
    from: ago,
    to: 'now()',
    window: language === 'sql' ? `INTERVAL '${windowSeconds} seconds'` : windowText(windowSeconds),
  })
}

/** Imports come first in a script. */
function relativeFlux(text: string, range: string, window: string): string {
  if (!/\bv\.\w/.test(text)) return text
  const lines = text.split('\n')
  const last = lines.findLastIndex((line) => /^\s*import\s/.test(line))
  const record = `{timeRangeStart: -${range}, timeRangeStop: now(), windowPeriod: ${window}}`
  lines.splice(last + 1, 0, `v = ${record}`)
  return lines.join('\n')
}

// How a query would be, or was, carried out: InfluxQL and SQL are asked
// with EXPLAIN ANALYZE, Flux with its profiler.

import type { Question } from '../query/language.js'

export function planQuestion(question: Question): Question {
  const { language, text } = question
  if (language === 'flux') return { ...question, text: withProfiler(text) }
  if (/^\s*explain\b/i.test(text)) return question
  return { ...question, text: `EXPLAIN ANALYZE ${text}` }
}

const profilers = 'option profiler.enabledProfilers = ["query", "operator"]'

/** Imports come first in a script. */
function withProfiler(text: string): string {
  if (text.includes('enabledProfilers')) return text
  return `import "profiler"\n${lastImportEnd(text)}`
}

function lastImportEnd(text: string): string {
  const lines = text.split('\n')
  const last = lines.findLastIndex((line) => /^\s*import\s/.test(line))
  lines.splice(last + 1, 0, profilers)
  return lines.join('\n')
}

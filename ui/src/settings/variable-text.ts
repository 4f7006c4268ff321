// The values of a variable as text in a form and back: a line for each value, pairs with an equals sign between
// them, or a query.

import type { VariableArguments } from '../api/settings.js'

export function argumentsText(given: VariableArguments): string {
  switch (given.type) {
    case 'constant':
      return given.values.join('\n')
    case 'map':
      return Object.entries(given.values)
        .map(([name, value]) => `${name}=${value}`)
        .join('\n')
    case 'query':
      return given.values.query
  }
}

/** `kind`: the type, of queries with the language behind it. */
export function argumentsOf(kind: string, text: string): VariableArguments {
  const [type, language] = kind.split(' ')
  if (type === 'query') return { type, values: { query: text, language } }
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (type !== 'map') return { type: 'constant', values: lines }
  const pairs = lines.map((line) => {
    const at = line.indexOf('=')
    return at < 0 ? [line, line] : [line.slice(0, at), line.slice(at + 1)]
  })
  return { type, values: Object.fromEntries(pairs) }
}

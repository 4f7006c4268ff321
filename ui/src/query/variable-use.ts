// Which variables a text uses, and the text with their values written out, for places that send none along. In Flux a
// variable is `v.name`, in InfluxQL and SQL `$name`.

import type { Language, Variables } from './language.js'

const fluxParts = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\bv\.(\w+)|\bv\["([^"]+)"\]/g
const otherParts = /'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*"|--[^\n]*|\$(\w+)/g

export function variablesUsed(text: string, language: Language): Set<string> {
  const names = new Set<string>()
  if (language !== 'flux') {
    for (const [, name] of text.matchAll(otherParts)) if (name !== undefined) names.add(name)
    return names
  }
  for (const [found, dotted, indexed] of text.matchAll(fluxParts)) {
    if (dotted !== undefined) names.add(dotted)
    if (indexed !== undefined) names.add(indexed)
    // Texts in Flux may hold expressions themselves.
    if (found.startsWith('"')) {
      for (const [, inner] of found.matchAll(/\$\{\s*v\.(\w+)/g)) names.add(inner)
    }
  }
  return names
}

/** Names of the range and the window stay as they are: the explorer sends these itself. */
export function withValues(text: string, language: Language, values: Variables): string {
  if (language !== 'flux') {
    return text.replace(otherParts, (found, name: string | undefined) => {
      const value = name === undefined ? undefined : values[name]
      if (value === undefined) return found
      const escaped =
        language === 'sql' ? value.replaceAll("'", "''") : value.replace(/[\\']/g, '\\$&')
      return `'${escaped}'`
    })
  }
  return text.replace(fluxParts, (found, dotted?: string, indexed?: string) => {
    const value = values[dotted ?? indexed ?? '']
    if (value === undefined) return found
    return JSON.stringify(value).replaceAll('${', '\\${')
  })
}

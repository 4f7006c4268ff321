// The queries that were run from this
// browser, newest first.

import type { Language } from '../query/language.js'

export interface PastQuery {
  readonly language: Language
  readonly text: string
  readonly at: number
}

const key = 'millrace-history'
const keptMax = 50

export function pastQueries(): PastQuery[] {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '[]') as PastQuery[]
  } catch {
    return []
  }
}

export function remember(language: Language, text: string): void {
  const others = pastQueries().filter((one) => one.text !== text || one.language !== language)
  const kept = [{ language, text, at: Date.now() }, ...others].slice(0, keptMax)
  try {
    localStorage.setItem(key, JSON.stringify(kept))
  } catch {
    // A full or forbidden store: the history is a convenience.
  }
}

// Cutting texts as Go's package strings does: where a separator is empty, between characters, which
// are code points and never halves of a pair.

import { TextSearch } from './text-search.js'

/** At most `count` pieces, the last with the rest; negative: all; 0: none. */
export function splitText(
  text: string,
  separator: string,
  count: number,
  keepsSeparator: boolean,
): readonly string[] {
  if (count === 0) return []
  if (separator === '') return characters(text, count)
  const pieces: string[] = []
  const search = new TextSearch(separator)
  let start = 0
  while (count < 0 || pieces.length < count - 1) {
    const at = search.next(text, start)
    if (at < 0) break
    pieces.push(text.slice(start, keepsSeparator ? at + separator.length : at))
    start = at + separator.length
  }
  pieces.push(text.slice(start))
  return pieces
}

function characters(text: string, count: number): readonly string[] {
  const all = [...text]
  if (count < 0 || all.length <= count) return all
  return [...all.slice(0, count - 1), all.slice(count - 1).join('')]
}

export function characterCount(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; count++) at += text.codePointAt(at)! > 0xffff ? 2 : 1
  return count
}

export function countText(text: string, part: string): number {
  if (part === '') return characterCount(text) + 1
  return splitText(text, part, -1, false).length - 1
}

/** The first `count` places; negative: all. */
export function replaceText(text: string, part: string, by: string, count: number): string {
  if (count < 0 && part !== '') return splitText(text, part, -1, false).join(by)
  const pieces = part === '' ? ['', ...text] : splitText(text, part, -1, false)
  // An empty part is found before each character and at the end.
  const places = part === '' ? pieces.length : pieces.length - 1
  const changed = count < 0 ? places : Math.min(count, places)
  let result = pieces[0]
  for (let i = 1; i < pieces.length; i++) result += (i <= changed ? by : part) + pieces[i]
  return part === '' && changed === places ? result + by : result
}

const trimStart = (text: string, cutset: ReadonlySet<string>): string => {
  let at = 0
  for (const character of text) {
    if (!cutset.has(character)) break
    at += character.length
  }
  return text.slice(at)
}

const trimEnd = (text: string, cutset: ReadonlySet<string>): string => {
  const all = [...text]
  let end = all.length
  while (end > 0 && cutset.has(all[end - 1])) end--
  return all.slice(0, end).join('')
}

export function trimText(text: string, cutset: string, sides: 'left' | 'right' | 'both'): string {
  const set = new Set(cutset)
  const left = sides === 'right' ? text : trimStart(text, set)
  return sides === 'left' ? left : trimEnd(left, set)
}

const spaces = new Set(
  '\t\n\v\f\r \u0085\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A' +
    '\u2028\u2029\u202F\u205F\u3000',
)

/** White space as Unicode has it, without the mark of byte order that JavaScript counts among it. */
export function trimSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && spaces.has(text[start])) start++
  // Not by a pattern: where many spaces stand before something else, it takes the square of their number.
  while (end > start && spaces.has(text[end - 1])) end--
  return text.slice(start, end)
}

/** The first letter of each word large; words are parted by what is neither letter, digit nor `_`. */
export function titleText(text: string): string {
  let isInWord = false
  let result = ''
  for (const character of text) {
    result += isInWord ? character : largeText(character)
    isInWord = isWordCharacter(character)
  }
  return result
}

function isWordCharacter(character: string): boolean {
  const code = character.codePointAt(0)!
  if (code < 128) return /[\w]/.test(character)
  if (/[\p{L}\p{Nd}]/u.test(character)) return true
  return !/\s/u.test(character)
}

/** Letters one by one: what becomes two letters in large stays, as Go has it. */
export function largeText(text: string): string {
  return changeCase(text, (character) => character.toUpperCase())
}

export function smallText(text: string): string {
  return changeCase(text, (character) => character.toLowerCase())
}

function changeCase(text: string, change: (character: string) => string): string {
  let result = ''
  for (const character of text) {
    const changed = change(character)
    result += [...changed].length === 1 ? changed : character
  }
  return result
}

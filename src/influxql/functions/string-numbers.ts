// Numbers strings across blocks, so that functions count and compare numbers. Each dictionary entry
// is decoded once.

import { dictionaryEntry, type StringColumn, type Utf8Dictionary } from '../../column/column.js'

export class StringNumbers {
  /** The string of each number. */
  readonly texts: string[] = []
  readonly #numberOf = new Map<string, number>()
  #textBytes = 0
  #dictionary: Utf8Dictionary | undefined
  #numberOfEntry = new Map<number, number>()

  /** Equal strings have equal numbers, from 0 up in order of appearance. */
  number(column: StringColumn, row: number): number {
    if (column.dictionary !== this.#dictionary) {
      this.#dictionary = column.dictionary
      this.#numberOfEntry = new Map()
    }
    const entry = column.values[row]
    let number = this.#numberOfEntry.get(entry)
    if (number === undefined) {
      number = this.#numberOfText(dictionaryEntry(column.dictionary, entry))
      this.#numberOfEntry.set(entry, number)
    }
    return number
  }

  /** About: a string, its place in a list and in a map. */
  get heldBytes(): number {
    return this.#textBytes + this.texts.length * 64
  }

  #numberOfText(text: string): number {
    let number = this.#numberOf.get(text)
    if (number === undefined) {
      number = this.texts.length
      this.#numberOf.set(text, number)
      this.texts.push(text)
      this.#textBytes += text.length
    }
    return number
  }
}

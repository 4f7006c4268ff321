// How large a single value may be. A few lines that double a text, an array or a record sixty times over
// ask for more than any machine has, and an array beyond some hundred million elements ends the process:
// what a script makes stays far below.

import { FluxError } from './error.js'
import { Dictionary, Dynamic, FluxRecord, type FluxValue } from './value.js'

export const textLengthMax = 2 ** 26
export const arrayLengthMax = 2 ** 24

/** Parts of a value that are compared one by one: about a second's work. */
export const comparedPartsMax = 2 ** 20
/** Printing costs more, the more the deeper they lie. */
export const printedPartsMax = 2 ** 17

export function checkTextLength(length: number): void {
  if (length > textLengthMax) {
    throw new FluxError(`a text of ${length} characters is too long, at most ${textLengthMax}`)
  }
}

/** Texts that are gone through character by character, or matched: at worst a second's work. */
const walkedLengthMax = 2 ** 22

export function checkWalkedLength(length: number): void {
  if (length > walkedLengthMax) {
    const most = `at most ${walkedLengthMax}`
    throw new FluxError(`a text of ${length} characters is too long to be gone through, ${most}`)
  }
}

export function checkArrayLength(length: number): void {
  if (length > arrayLengthMax) {
    throw new FluxError(`an array of ${length} elements is too long, at most ${arrayLengthMax}`)
  }
}

/**
 * Before a value is walked through as a whole: a record that holds another twice, and that one a third, costs nothing
 * to make but has more parts than can be counted.
 */
export function checkParts(value: FluxValue, partsMax: number): void {
  if (count(value, 0, partsMax) > partsMax) {
    throw new FluxError(`a value of more than ${partsMax} parts is too large for this`)
  }
}

/** How many there are so far; stops counting when it is too many. */
function count(value: FluxValue, before: number, partsMax: number): number {
  let parts = before + 1
  if (typeof value !== 'object' || value === null) return parts
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && parts <= partsMax; i++)
      parts = count(value[i], parts, partsMax)
  } else if (value instanceof FluxRecord) {
    for (const name of value.names()) {
      if (parts > partsMax) break
      parts = count(value.get(name) ?? null, parts, partsMax)
    }
  } else if (value instanceof Dictionary) {
    for (const entry of value.entries) {
      if (parts > partsMax) break
      parts = count(entry.value, parts + 1, partsMax)
    }
  } else if (value instanceof Dynamic) parts = count(value.inner, parts, partsMax)
  return parts
}

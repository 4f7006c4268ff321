// The text of a script with the places in it. Flux counts columns in bytes of UTF-8, so that `é` is two
// columns wide, while strings here are indexed by UTF-16 units: this file is the bridge between them.

import type { Position, SourceLocation } from './ast.js'

/** Units between two marks: a mark for each would take several times the text. */
const markStep = 64

export class SourceText {
  readonly text: string
  readonly fileName: string
  readonly #lineStarts: Uint32Array
  /** Byte offset of every so many units; null while the text is ASCII and both are the same. */
  readonly #byteMarks: Uint32Array | null

  constructor(text: string, fileName: string) {
    this.text = text
    this.fileName = fileName
    this.#lineStarts = findLineStarts(text)
    this.#byteMarks = isAscii(text) ? null : findByteMarks(text)
  }

  positionAt(offset: number): Position {
    const lineIndex = lastUpTo(this.#lineStarts, offset)
    const lineStart = this.#lineStarts[lineIndex]
    const width = this.#bytesAt(offset) - this.#bytesAt(lineStart)
    return { line: lineIndex + 1, column: width + 1 }
  }

  /** Between two places that `positionAt` gave. */
  locationBetween(start: Position, end: Position): SourceLocation {
    const source = this.text.slice(this.offsetOf(start), this.offsetOf(end))
    const location = { start, end, source }
    return this.fileName === '' ? location : { file: this.fileName, ...location }
  }

  /** Of a place that `positionAt` gave. */
  offsetOf(position: Position): number {
    const lineStart = this.#lineStarts[position.line - 1]
    const marks = this.#byteMarks
    if (marks === null) return lineStart + position.column - 1
    const target = this.#bytesAt(lineStart) + position.column - 1
    const mark = lastUpTo(marks, target)
    let unit = mark * markStep
    for (let bytes = marks[mark]; bytes < target && unit < this.text.length; unit++) {
      bytes += byteWidth(this.text.charCodeAt(unit))
    }
    return unit
  }

  #bytesAt(offset: number): number {
    const marks = this.#byteMarks
    if (marks === null) return offset
    const mark = Math.floor(offset / markStep)
    let bytes = marks[mark]
    for (let unit = mark * markStep; unit < offset; unit++) {
      bytes += byteWidth(this.text.charCodeAt(unit))
    }
    return bytes
  }
}

/** Where the last of these numbers is that is at most `value`; they rise, and the first one is 0. */
function lastUpTo(rising: Uint32Array, value: number): number {
  let low = 0
  let high = rising.length - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (rising[middle] <= value) low = middle
    else high = middle - 1
  }
  return low
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false
  return true
}

function findLineStarts(text: string): Uint32Array {
  let count = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  const starts = new Uint32Array(count)
  let at = 0
  for (let line = 1; line < count; line++) {
    at = text.indexOf('\n', at) + 1
    starts[line] = at
  }
  return starts
}

function findByteMarks(text: string): Uint32Array {
  const marks = new Uint32Array(Math.floor(text.length / markStep) + 1)
  let bytes = 0
  for (let unit = 0; unit < text.length; unit++) {
    if (unit % markStep === 0) marks[unit / markStep] = bytes
    bytes += byteWidth(text.charCodeAt(unit))
  }
  if (text.length % markStep === 0) marks[text.length / markStep] = bytes
  return marks
}

/** Each half of a surrogate pair counts two of the pair's four bytes. */
function byteWidth(unit: number): number {
  if (unit < 0x80) return 1
  if (unit < 0x800) return 2
  return unit >= 0xd800 && unit <= 0xdfff ? 2 : 3
}

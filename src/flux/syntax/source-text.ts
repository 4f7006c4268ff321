// The text of a script with the places in it. Flux counts columns in bytes of UTF-8, so that `é` is two
// columns wide, while strings here are indexed by UTF-16 units: this file is the bridge between them.

import type { Position, SourceLocation } from './ast.js'

export class SourceText {
  readonly text: string
  readonly fileName: string
  readonly #lineStarts: readonly number[]
  /** Byte offset of every unit; null while the text is ASCII and both are the same. */
  readonly #byteOffsets: Uint32Array | null

  constructor(text: string, fileName: string) {
    this.text = text
    this.fileName = fileName
    this.#lineStarts = findLineStarts(text)
    this.#byteOffsets = isAscii(text) ? null : findByteOffsets(text)
  }

  positionAt(offset: number): Position {
    const lineIndex = this.#lineIndexAt(offset)
    const lineStart = this.#lineStarts[lineIndex]
    const bytes = this.#byteOffsets
    const width = bytes === null ? offset - lineStart : bytes[offset] - bytes[lineStart]
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
    const bytes = this.#byteOffsets
    if (bytes === null) return lineStart + position.column - 1
    const target = bytes[lineStart] + position.column - 1
    let low = lineStart
    let high = bytes.length - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (bytes[middle] < target) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The last line that starts at or before the offset. */
  #lineIndexAt(offset: number): number {
    let low = 0
    let high = this.#lineStarts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (this.#lineStarts[middle] <= offset) low = middle
      else high = middle - 1
    }
    return low
  }
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false
  return true
}

function findLineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function findByteOffsets(text: string): Uint32Array {
  const offsets = new Uint32Array(text.length + 1)
  let bytes = 0
  for (let index = 0; index < text.length; index++) {
    offsets[index] = bytes
    bytes += byteWidth(text.charCodeAt(index))
  }
  offsets[text.length] = bytes
  return offsets
}

/** Each half of a surrogate pair counts two of the pair's four bytes. */
function byteWidth(unit: number): number {
  if (unit < 0x80) return 1
  if (unit < 0x800) return 2
  return unit >= 0xd800 && unit <= 0xdfff ? 2 : 3
}

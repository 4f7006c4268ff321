// Finds a text in another in time that grows with their lengths alone. JavaScript's own search takes the
// product of both at worst, which is minutes for a million characters; so long parts are looked for by
// Knuth, Morris and Pratt: what was read already is never read again, because a table says how much of
// the part still fits when the next character does not.

/** Below this the product is no matter, and JavaScript's search is far faster. */
const plainLengthMax = 64

export class TextSearch {
  readonly #part: string
  /** For each place: how many characters before and at it are also those the part begins with. */
  readonly #overlaps: Int32Array | undefined

  constructor(part: string) {
    this.#part = part
    this.#overlaps = part.length > plainLengthMax ? overlapsOf(part) : undefined
  }

  /** The first place at or behind `from`; -1: there is none. */
  next(text: string, from: number): number {
    const overlaps = this.#overlaps
    if (overlaps === undefined) return text.indexOf(this.#part, from)
    const part = this.#part
    let fitting = 0
    for (let at = from; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      while (fitting > 0 && part.charCodeAt(fitting) !== unit) fitting = overlaps[fitting - 1]
      if (part.charCodeAt(fitting) === unit) fitting++
      if (fitting === part.length) return at - part.length + 1
    }
    return -1
  }
}

function overlapsOf(part: string): Int32Array {
  const overlaps = new Int32Array(part.length)
  let fitting = 0
  for (let at = 1; at < part.length; at++) {
    const unit = part.charCodeAt(at)
    while (fitting > 0 && part.charCodeAt(fitting) !== unit) fitting = overlaps[fitting - 1]
    if (part.charCodeAt(fitting) === unit) fitting++
    overlaps[at] = fitting
  }
  return overlaps
}

function reversed(text: string): string {
  const units = new Uint16Array(text.length)
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(text.length - 1 - i)
  return Buffer.from(units.buffer).toString('utf16le')
}

/** The last place; -1: there is none. */
export function lastPlace(text: string, part: string): number {
  if (part.length <= plainLengthMax) return text.lastIndexOf(part)
  const at = new TextSearch(reversed(part)).next(reversed(text), 0)
  return at < 0 ? -1 : text.length - at - part.length
}

export function firstPlace(text: string, part: string): number {
  return new TextSearch(part).next(text, 0)
}

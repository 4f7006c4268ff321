// Bit packing of unsigned 32-bit numbers in mini-blocks of 128, each with its own width of 0 to 32
// bits. Value i of a mini-block takes the bits from i * width on, low bits first, in little-endian
// 32-bit words: 4 * width words in all.
//
// Unpacking is the innermost loop of every read. A loop with a variable width reaches 140 M
// values/s here; straight code for one width, with what is done to the value fused in, 500 M. So
// packers and unpackers are made when they are first used, one per width and use, from the few lines
// below, instead of being two hundred functions written out by hand.

export const miniBlockRows = 128

/** Packs 128 numbers from `values[start]` on into 4 * width words at `words[at]`. Numbers must fit the width. */
export type Packer = (values: Uint32Array, start: number, words: Uint32Array, at: number) => void

/** out[o + i] = value i */
export type PlainUnpacker = (words: Uint32Array, at: number, out: Uint32Array, o: number) => void

/** out[o + 2 * i] = reference + value i, in 32 bits: every second word. */
export type HighUnpacker = (
  words: Uint32Array,
  at: number,
  out: Uint32Array,
  o: number,
  reference: number,
) => void

/** out[o + 2 * i] = reference ^ (value i << shift): every second word. */
export type LowUnpacker = (
  words: Uint32Array,
  at: number,
  out: Uint32Array,
  o: number,
  reference: number,
  shift: number,
) => void

/** out[o + i] = base + value i */
export type OffsetUnpacker = (
  words: Uint32Array,
  at: number,
  out: Float64Array,
  o: number,
  base: number,
) => void

/** sum += unzigzag(value i); out[o + i] = base + sum; returns the sum, which must stay within int32. */
export type DeltaUnpacker = (
  words: Uint32Array,
  at: number,
  out: Float64Array,
  o: number,
  base: number,
  sum: number,
) => number

/** sum += step + value i; out[o + i] = base + sum; every sum fits int32. */
export type RunningUnpacker = (
  words: Uint32Array,
  at: number,
  out: Float64Array,
  o: number,
  base: number,
  sum: number,
  step: number,
) => void

/** By width, 0 to 32. */
export const packMiniBlock = byWidth(makePacker)
export const unpackPlain = byWidth((width) => makeUnpacker(width, 'plain') as PlainUnpacker)
export const unpackHighs = byWidth((width) => makeUnpacker(width, 'high') as HighUnpacker)
export const unpackLows = byWidth((width) => makeUnpacker(width, 'low') as LowUnpacker)
export const unpackOffset = byWidth((width) => makeUnpacker(width, 'offset') as OffsetUnpacker)
export const unpackDelta = byWidth((width) => makeUnpacker(width, 'delta') as DeltaUnpacker)
export const unpackRunning = byWidth((width) => makeUnpacker(width, 'running') as RunningUnpacker)

type Use = 'plain' | 'high' | 'low' | 'offset' | 'delta' | 'running'

/** Until its first call a place holds what makes it: to make all of them delays the start of every thread. */
function byWidth<F extends (...args: never[]) => unknown>(make: (width: number) => F): F[] {
  const places: F[] = []
  for (let width = 0; width <= 32; width++) {
    let made: F | undefined
    const first = (...args: Parameters<F>) => {
      made ??= make(width)
      places[width] = made
      return made(...args)
    }
    places.push(first as F)
  }
  return places
}

/**
 * Four rounds of 32 values; a round reads `width` words and needs no remainder. Places are told to be int32 (`| 0`):
 * looking out for an overflow in each of them takes 5 % of the time.
 */
function makeUnpacker(width: number, use: Use): unknown {
  let body = use === 'delta' ? 'let z = 0;' : ''
  body += 'for (let round = 0; round < 4; round++) {'
  for (let k = 0; k < width; k++) body += `const w${k} = words[(at + ${k}) | 0];`
  for (let i = 0; i < 32; i++) body += statement(use, i, extract(i, width))
  const step = use === 'high' || use === 'low' ? 64 : 32
  body += `at = (at + ${width}) | 0; o = (o + ${step}) | 0; }`
  if (use === 'high') return new Function('words', 'at', 'out', 'o', 'reference', body)
  if (use === 'low') return new Function('words', 'at', 'out', 'o', 'reference', 'shift', body)
  if (use === 'plain') return new Function('words', 'at', 'out', 'o', body)
  if (use === 'offset') return new Function('words', 'at', 'out', 'o', 'base', body)
  if (use === 'running') return new Function('words', 'at', 'out', 'o', 'base', 'sum', 'step', body)
  return new Function('words', 'at', 'out', 'o', 'base', 'sum', `${body} return sum;`)
}

/** The reverse: each word of a round is put together from the values that reach into it. */
function makePacker(width: number): Packer {
  let body = 'for (let round = 0; round < 4; round++) {'
  for (let word = 0; word < width; word++) {
    const parts: string[] = []
    for (let i = 0; i < 32; i++) {
      const shift = i * width - word * 32
      if (shift >= 32 || shift + width <= 0) continue
      const value = `values[start + ${i}]`
      if (shift === 0) parts.push(value)
      else parts.push(shift > 0 ? `(${value} << ${shift})` : `(${value} >>> ${-shift})`)
    }
    body += `words[at + ${word}] = ${parts.join(' | ')};`
  }
  body += `at += ${width}; start += 32; }`
  return new Function('values', 'start', 'words', 'at', body) as Packer
}

function statement(use: Use, i: number, value: string): string {
  if (use === 'plain') return `out[(o + ${i}) | 0] = ${value};`
  if (use === 'high') return `out[(o + ${2 * i}) | 0] = (reference + (${value})) | 0;`
  if (use === 'low') return `out[(o + ${2 * i}) | 0] = reference ^ ((${value}) << shift);`
  if (use === 'offset') return `out[(o + ${i}) | 0] = base + ((${value}) >>> 0);`
  if (use === 'running') {
    return `sum = (sum + step + (${value})) | 0; out[(o + ${i}) | 0] = base + sum;`
  }
  return `z = ${value}; sum = (sum + ((z >>> 1) ^ -(z & 1))) | 0; out[(o + ${i}) | 0] = base + sum;`
}

/** The expression for value i of a round. */
function extract(i: number, width: number): string {
  if (width === 0) return '0'
  const bit = i * width
  const word = bit >>> 5
  const shift = bit & 31
  if (width === 32) return `w${word}`
  const mask = 2 ** width - 1
  if (shift + width > 32)
    return `((w${word} >>> ${shift}) | (w${word + 1} << ${32 - shift})) & ${mask}`
  return `(w${word} >>> ${shift}) & ${mask}`
}

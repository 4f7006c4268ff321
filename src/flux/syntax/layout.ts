// Documents that know how to be laid out in lines of a given width, after Wadler: a group is written on one
// line if it fits there, else its own lines break; a choice takes its first form if that fits. The choices
// decide on whole subtrees, and nested ones would try exponentially many layouts: trials have a budget, and
// behind it every choice takes its last form, which always works.

export type Doc =
  | TextDoc
  | { readonly kind: 'line' }
  | { readonly kind: 'rawLine' }
  | { readonly kind: 'fail' }
  | { readonly kind: 'concat'; readonly parts: readonly Doc[] }
  | { readonly kind: 'alternative'; readonly broken: Doc; readonly flat: Doc }
  | { readonly kind: 'group'; readonly doc: Doc }
  | { readonly kind: 'nest'; readonly doc: Doc }
  | { readonly kind: 'choice'; readonly first: Doc; readonly second: Doc }

interface TextDoc {
  readonly kind: 'text'
  readonly text: string
  /** In characters as a reader sees them. */
  readonly width: number
  /** White space at its end stays when a line ends behind it. */
  readonly isVerbatim: boolean
}

export const indentWidth = 4
const trialStepsMax = 500_000

export const nil: Doc = { kind: 'concat', parts: [] }
/** A line break wherever it stands; a group with one in it never fits on a line. */
export const hardLine: Doc = { kind: 'line' }
/** A line break inside a string: what follows is not indented. */
export const rawLine: Doc = { kind: 'rawLine' }
/** Fails the layout if the group around it is broken. */
export const failIfBroken: Doc = { kind: 'alternative', broken: { kind: 'fail' }, flat: nil }

export function text(value: string): Doc {
  return { kind: 'text', text: value, width: widthOf(value), isVerbatim: false }
}

export function verbatim(value: string): Doc {
  return { kind: 'text', text: value, width: widthOf(value), isVerbatim: true }
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

function widthOf(value: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is one column wide here.
  if (/^[\x00-\x7f]*$/.test(value)) return value.length
  let width = 0
  for (const _ of graphemes.segment(value)) width++
  return width
}

/** A line break, or a space on one line. */
export const line: Doc = { kind: 'alternative', broken: hardLine, flat: text(' ') }
/** A line break, or nothing on one line. */
export const lineOrNothing: Doc = { kind: 'alternative', broken: hardLine, flat: nil }

export function concat(...parts: readonly (Doc | string)[]): Doc {
  return {
    kind: 'concat',
    parts: parts.map((part) => (typeof part === 'string' ? text(part) : part)),
  }
}

export function group(doc: Doc): Doc {
  return { kind: 'group', doc }
}

export function nest(doc: Doc): Doc {
  return { kind: 'nest', doc }
}

export function choice(first: Doc, second: Doc): Doc {
  return { kind: 'choice', first, second }
}

export function ifBroken(broken: Doc): Doc {
  return { kind: 'alternative', broken, flat: nil }
}

export function separated(docs: readonly Doc[], separator: Doc): Doc {
  return concat(...docs.flatMap((doc, index) => (index === 0 ? [doc] : [separator, doc])))
}

export function isNil(doc: Doc): boolean {
  return doc.kind === 'concat' && doc.parts.every(isNil)
}

export function render(doc: Doc, widthMax: number): string {
  const renderer = new Renderer(widthMax)
  return renderer.render(doc)
}

interface Command {
  readonly indent: number
  readonly isFlat: boolean
  readonly doc: Doc
}

interface Piece {
  readonly text: string
  readonly isVerbatim: boolean
}

type Outcome = 'fits' | 'too wide' | 'failed'

class Renderer {
  readonly #widthMax: number
  readonly #commands: Command[] = []
  readonly #pieces: Piece[] = []
  #column = 0
  #trialSteps = 0
  #trialDepth = 0

  constructor(widthMax: number) {
    this.#widthMax = widthMax
  }

  render(doc: Doc): string {
    this.#commands.push({ indent: 0, isFlat: false, doc })
    this.#run(0)
    return joinPieces(this.#pieces)
  }

  /** Writes all commands above the floor. A trial ends as soon as its outcome is known. */
  #run(floor: number): Outcome {
    let outcome: Outcome = 'fits'
    while (this.#commands.length > floor) {
      const command = this.#commands.pop() as Command
      if (this.#trialDepth > 0) this.#trialSteps++
      const result = this.#runOne(command)
      if (result !== 'fits') outcome = result
      if (outcome !== 'fits' && this.#trialDepth > 0) return outcome
    }
    return outcome
  }

  #runOne(command: Command): Outcome {
    const { indent, isFlat, doc } = command
    switch (doc.kind) {
      case 'text':
        this.#pieces.push(doc)
        this.#column += doc.width
        return this.#column <= this.#widthMax ? 'fits' : 'too wide'
      case 'line':
        this.#breakLine(indent)
        return 'fits'
      case 'rawLine':
        this.#pieces.push({ text: '\n', isVerbatim: true })
        this.#column = 0
        return 'fits'
      case 'fail':
        return 'failed'
      case 'concat':
        for (const part of doc.parts.toReversed()) this.#commands.push({ ...command, doc: part })
        return 'fits'
      case 'alternative':
        this.#commands.push({ indent, isFlat, doc: isFlat ? doc.flat : doc.broken })
        return 'fits'
      case 'group':
        this.#commands.push({ indent, isFlat: isFlat || this.#fits(doc.doc), doc: doc.doc })
        return 'fits'
      case 'nest':
        this.#commands.push({ indent: indent + indentWidth, isFlat, doc: doc.doc })
        return 'fits'
      case 'choice':
        if (!this.#try({ ...command, doc: doc.first })) {
          this.#commands.push({ ...command, doc: doc.second })
        }
        return 'fits'
    }
  }

  #try(command: Command): boolean {
    if (this.#trialSteps > trialStepsMax) return false
    const floor = this.#commands.length
    const pieceCount = this.#pieces.length
    const column = this.#column
    this.#commands.push(command)
    this.#trialDepth++
    const outcome = this.#run(floor)
    this.#trialDepth--
    if (outcome === 'fits') return true
    this.#commands.length = floor
    this.#pieces.length = pieceCount
    this.#column = column
    return false
  }

  #breakLine(indent: number): void {
    this.#pieces.push({ text: '\n', isVerbatim: false })
    if (indent > 0) this.#pieces.push({ text: ' '.repeat(indent), isVerbatim: false })
    this.#column = indent
  }

  /** Whether the document, and what follows up to the next possible line break, has room on this line. */
  #fits(doc: Doc): boolean {
    let column = this.#column
    let isFlat = true
    let restIndex = this.#commands.length
    const docs: Doc[] = [doc]
    for (;;) {
      let next = docs.pop()
      if (next === undefined) {
        if (restIndex === 0) return true
        isFlat = false
        next = this.#commands[--restIndex].doc
      }
      if (next.kind === 'text') {
        column += next.width
        if (column > this.#widthMax) return false
      } else if (next.kind === 'line' || next.kind === 'rawLine') return !isFlat
      else if (next.kind === 'fail') return false
      else pushInside(next, isFlat, docs)
      if (this.#trialDepth > 0) this.#trialSteps++
    }
  }
}

function pushInside(doc: Doc, isFlat: boolean, docs: Doc[]): void {
  if (doc.kind === 'concat') docs.push(...doc.parts.toReversed())
  else if (doc.kind === 'alternative') docs.push(isFlat ? doc.flat : doc.broken)
  else if (doc.kind === 'choice') docs.push(doc.second)
  else if (doc.kind === 'group' || doc.kind === 'nest') docs.push(doc.doc)
}

function trimSpaces(value: string): string {
  return value.replace(/[ \t\r\f\v]+$/, '')
}

/** White space before the end of a line is left out, except inside strings. */
function joinPieces(pieces: readonly Piece[]): string {
  const kept: string[] = []
  let isLineEnd: boolean = true
  for (const { text, isVerbatim } of pieces.toReversed()) {
    const value: string = isLineEnd && !isVerbatim ? trimSpaces(text) : text
    kept.push(value)
    if (value !== '') isLineEnd = value === '\n' && !isVerbatim
  }
  return kept.toReversed().join('')
}

// Rows of tables as lines of line protocol, written in batches of bounded size. Names and texts are
// escaped as InfluxDB's own writers do: what line protocol cannot hold (a line break in a tag, a
// backslash at its end) must not become another line or another tag.

import { escapeMeasurement, escapeName } from '../../../../column/series.js'
import { printString } from '../../../../line-protocol/printer.js'
import type { Cell, CellType } from '../../../../query/table.js'
import type { BucketReference, FluxScope } from '../../../context/scope.js'

const batchLinesMax = 5000
const batchCharactersMax = 1 << 20

const encoder = new TextEncoder()

export class LineWriter {
  readonly #scope: FluxScope
  readonly #reference: BucketReference
  #lines: string[] = []
  #characters = 0

  constructor(scope: FluxScope, reference: BucketReference) {
    this.#scope = scope
    this.#reference = reference
  }

  add(line: string): void {
    this.#lines.push(line)
    this.#characters += line.length
  }

  /** It is time to write. */
  get isFull(): boolean {
    return this.#lines.length >= batchLinesMax || this.#characters >= batchCharactersMax
  }

  /** Durable when resolved. */
  async flush(): Promise<void> {
    if (this.#lines.length === 0) return
    const bytes = encoder.encode(`${this.#lines.join('\n')}\n`)
    this.#lines = []
    this.#characters = 0
    await this.#scope.write(this.#reference, bytes)
  }
}

const hasControls = /[\n\r\t\f]|\\$/
const controls = /[\n\r\t\f]/g

const spelt: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\f', '\\f'],
])

function oneLine(text: string): string {
  if (!hasControls.test(text)) return text
  const shown = text.replace(controls, (character) => spelt.get(character)!)
  return shown.endsWith('\\') ? shown.replace(/\\+$/, '') : shown
}

export function measurementText(name: string): string {
  return escapeMeasurement(oneLine(name))
}

/** Of a tag or a field. */
export function nameText(name: string): string {
  return escapeName(oneLine(name))
}

/** Tags as text: most stay the same from one row or table to the next, and escaping is most of the work of a line. */
export class TagTexts {
  readonly #names: string[] = []
  readonly #values: (string | null)[] = []
  readonly #texts: string[] = []

  /** `,host=a`; nothing where it has no value. `place`: by which it is remembered. */
  text(place: number, name: string, value: string | null): string {
    if (this.#values[place] === value && this.#names[place] === name) return this.#texts[place]
    this.#names[place] = name
    this.#values[place] = value
    this.#texts[place] = tagText(name, value)
    return this.#texts[place]
  }
}

function tagText(key: string, value: string | null): string {
  if (value === null || value === '') return ''
  const text = nameText(value)
  return text === '' ? '' : `,${nameText(key)}=${text}`
}

/** undefined: it cannot be written. */
export function fieldText(type: CellType, cell: Cell): string | undefined {
  switch (type) {
    case 'float':
      if (!Number.isFinite(cell as number)) return undefined
      return Object.is(cell, -0) ? '-0' : String(cell)
    case 'int':
    case 'time':
      return `${cell}i`
    case 'uint':
      return `${cell}u`
    case 'bool':
      return cell === true ? 'true' : 'false'
    case 'string':
      return printString(cell as string)
  }
}

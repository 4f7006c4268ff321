// Answers of Flux for the shell: annotated CSV as boxes for people, one for each kind of table, or as rows of JSON for
// programs. What a script answered before it failed is kept; that it failed is told.

import { annotatedRows, type TableHead } from '../formats/csv/annotated-tables.js'

interface FluxBox {
  readonly names: readonly string[]
  readonly types: readonly string[]
  readonly rows: (readonly (string | undefined)[])[]
}

export interface FluxAnswer {
  /** Tables of the same columns, one after the other. */
  readonly boxes: readonly FluxBox[]
  /** Why it ended early. */
  readonly failure: string | undefined
}

/** Without annotations everything is text. */
export async function readFluxAnswer(text: string): Promise<FluxAnswer> {
  const boxes: FluxBox[] = []
  let head: TableHead | undefined
  for await (const rows of annotatedRows(oneChunk(text))) {
    for (const row of rows) {
      if (row.head !== head) boxes.push(emptyBox(row.head))
      head = row.head
      const { defaults } = row.head
      boxes.at(-1)?.rows.push(row.cells.slice(1).map((cell, i) => cell ?? defaults[i + 1]))
    }
  }
  const last = boxes.at(-1)
  if (last?.names.join() !== 'error,reference') return { boxes, failure: undefined }
  return { boxes: boxes.slice(0, -1), failure: last.rows[0][0] ?? 'it failed' }
}

function emptyBox(head: TableHead): FluxBox {
  const names = head.names.slice(1).map((name) => name ?? '')
  return { names, types: names.map((_, i) => head.types[i + 1] ?? 'string'), rows: [] }
}

async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

/** An object for each row of all tables. */
export function fluxRows({ boxes }: FluxAnswer): Record<string, unknown>[] {
  return boxes.flatMap(({ names, types, rows }) =>
    rows.map((cells) =>
      Object.fromEntries(names.map((name, i) => [name, cellValue(cells[i], types[i])])),
    ),
  )
}

function cellValue(cell: string | undefined, type: string): unknown {
  if (cell === undefined) return null
  if (type === 'boolean') return cell === 'true'
  if (type === 'double') return Number.isFinite(Number(cell)) ? Number(cell) : null
  const isInteger = type === 'long' || type === 'unsignedLong'
  // What a number of JSON cannot hold exactly stays text.
  return isInteger && Number.isSafeInteger(Number(cell)) ? Number(cell) : cell
}

export function fluxBoxes({ boxes }: FluxAnswer): string {
  return boxes.map(drawn).join('\n')
}

function drawn({ names, rows }: FluxBox): string {
  const lines = [names, ...rows.map((cells) => names.map((_, i) => cells[i] ?? ''))]
  const widths = names.map((_, i) =>
    lines.reduce((most, cells) => Math.max(most, cells[i].length), 0),
  )
  const rule = `+${widths.map((width) => '-'.repeat(width + 2)).join('+')}+\n`
  const [head, ...body] = lines.map(
    (cells) => `|${cells.map((cell, i) => ` ${cell.padEnd(widths[i])} `).join('|')}|\n`,
  )
  return `${rule}${head}${rule}${body.join('')}${rule}`
}

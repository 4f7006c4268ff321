// Rows drawn as a table of lines, for people: every column is as wide as its widest value, so that the
// whole answer is held until it has ended. Answers larger than the limit are refused: nobody reads them
// this way.

import { valueAt } from '../column/column.js'
import { timeAt } from '../column/time.js'
import { UserError } from '../errors.js'
import type { ResultBatch, ResultColumn } from '../query/language.js'
import { ByteWriter } from './byte-writer.js'
import { MomentText } from './moment-text.js'
import type { RowEncoder } from './v3-rows.js'

const cellsMax = 1_000_000

export class V3Pretty implements RowEncoder {
  readonly out = new ByteWriter()
  readonly #rows: string[][] = []
  readonly #moments = new MomentText()
  readonly #text = Buffer.alloc(64)
  #names: readonly string[] = []

  rows(batch: ResultBatch, _row: number): number {
    this.#names = batch.columnNames
    if ((this.#rows.length + batch.rowCount) * batch.columns.length > cellsMax) {
      const hint = 'ask for json, jsonl or csv instead'
      throw new UserError('invalid', `more than ${cellsMax} values in format pretty: ${hint}`)
    }
    for (let row = 0; row < batch.rowCount; row++) {
      this.#rows.push(batch.columns.map((column) => this.#cell(column, row, batch.zone)))
    }
    return batch.rowCount
  }

  #cell(column: ResultColumn, row: number, zone: string | undefined): string {
    if (column.validity !== undefined && column.validity[row] === 0) return ''
    if (column.type === 'list') return column.lists[row].join(',')
    if (column.type !== 'time') return String(valueAt(column, row))
    this.#moments.use({ base: timeAt(column.times, row), offsets: new Float64Array(1) }, zone)
    const view = new DataView(this.#text.buffer, this.#text.byteOffset, this.#text.length)
    const end = this.#moments.putRfc3339(view, 0, 0)
    return this.#text.toString('latin1', 0, zone === undefined ? end - 1 : end)
  }

  end(): void {
    const widths = this.#names.map((name, i) =>
      this.#rows.reduce((width, row) => Math.max(width, row[i].length), name.length),
    )
    const rule = `+${widths.map((width) => '-'.repeat(width + 2)).join('+')}+\n`
    const line = (cells: readonly string[]) =>
      `|${cells.map((cell, i) => ` ${cell.padEnd(widths[i])} `).join('|')}|\n`
    this.out.put(Buffer.from(rule + line(this.#names) + rule))
    for (const row of this.#rows) this.out.put(Buffer.from(line(row)))
    this.out.put(Buffer.from(rule))
  }
}

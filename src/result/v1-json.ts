// Answers as InfluxDB 1.x prints them in JSON:
//
//   {"results":[{"statement_id":0,"series":[{"name":…,"tags":{…},"columns":[…],"values":[[…],…]}]}]}
//
// and a line feed. Keys come in this order, with `messages`, `partial` and `error` behind `series`;
// what is empty is left out. Chunked, every piece of a table is a document of its own; `partial` in a
// series says that its table goes on, in a result that the result does. Indented, four spaces a level.

import type { ResultBatch, ResultFailure, ResultStart } from '../query/language.js'
import { ByteWriter } from './byte-writer.js'
import type { FailureText, ResultEncoder, ResultFormat } from './format.js'
import { writeJsonString } from './json-string.js'
import type { RowMarks } from './json-times.js'
import { TableIdentity } from './table-identity.js'
import { JsonRows } from './v1-json-rows.js'

/** Where a result stands: nothing written, the result opened, a table opened, its rows begun. */
type Depth = 'none' | 'result' | 'table' | 'rows'

export class V1Json implements ResultEncoder {
  readonly out = new ByteWriter()
  readonly maySend = true
  readonly #style: JsonStyle
  readonly #rows: JsonRows
  readonly #chunkRows: number | undefined
  readonly #failureText: FailureText
  readonly #table = new TableIdentity()
  #depth: Depth = 'none'
  #start: ResultStart | undefined
  /** Whether anything of the current result was written, in whichever document. */
  #hasWritten = false
  #documentResults = 0
  #tables = 0
  #tableRows = 0
  /** Where in `out` the current result began behind its number, while nothing was taken since. */
  #resultMark = 0
  #resultTakes = 0
  #hasFailed = false

  constructor(format: ResultFormat, failureText: FailureText) {
    this.#failureText = failureText
    this.#style = format.isPretty ? prettyStyle : compactStyle
    this.#chunkRows = format.chunkRows
    const time = format.time === 'rfc3339' ? undefined : format.time
    this.#rows = new JsonRows(this.out, this.#style.row, time)
  }

  start(start: ResultStart): void {
    this.#endResult()
    this.#start = start
    this.#hasWritten = false
    if (this.#chunkRows === undefined) this.#openResult(start.result)
  }

  rows(batch: ResultBatch, row: number): number {
    if (row === 0) this.#useBatch(batch)
    let next = row
    while (next < batch.rowCount && !this.out.isFull) {
      const end = this.#chunkEnd(batch, next)
      if (end === next) {
        this.#closeDocument(true, true)
        this.#openTable(batch)
        continue
      }
      if (this.#depth !== 'rows') this.#openRows()
      const reached = this.#rows.write(next, end, this.#tableRows === 0)
      this.#tableRows += reached - next
      next = reached
    }
    return next
  }

  failure(failure: ResultFailure): void {
    if (this.#start?.result !== failure.result) {
      this.start({ kind: 'start', result: failure.result, messages: [] })
    }
    if (this.#chunkRows !== undefined && this.#depth !== 'none') this.#closeDocument(false, true)
    if (this.#depth === 'none') this.#openResult(failure.result)
    else if (this.#resultTakes === this.out.takes) this.#rewindResult()
    else if (this.#hasFailed) return
    else this.#closeTables()
    this.out.ascii(this.#style.error)
    writeJsonString(this.out, this.#failureText(failure.error))
    this.#hasWritten = true
    this.#hasFailed = true
    this.#start = { kind: 'start', result: failure.result, messages: [] }
    if (this.#chunkRows !== undefined) this.#closeDocument(false, false)
  }

  end(): void {
    this.#endResult()
    const { out } = this
    if (this.#chunkRows !== undefined) return
    if (this.#documentResults === 0) out.ascii('{}\n')
    else out.ascii(this.#style.documentClose)
  }

  #useBatch(batch: ResultBatch): void {
    if (this.#start?.result !== batch.result) {
      this.start({ kind: 'start', result: batch.result, messages: [] })
    }
    this.#rows.use(batch)
    if (!this.#table.includes(batch)) this.#newTable(batch)
  }

  #newTable(batch: ResultBatch): void {
    const chunks = this.#start?.chunks ?? 'rows'
    if (this.#chunkRows !== undefined && this.#depth !== 'none' && chunks !== 'one') {
      this.#closeDocument(false, chunks === 'rows')
    }
    this.#openTable(batch)
  }

  /** The row before which the document must end, looked at from `row` on. */
  #chunkEnd(batch: ResultBatch, row: number): number {
    const chunkRows = this.#start?.chunks === undefined ? this.#chunkRows : undefined
    if (chunkRows === undefined) return batch.rowCount
    return Math.min(batch.rowCount, row + chunkRows - this.#tableRows)
  }

  #openResult(result: number): void {
    const { out } = this
    const style = this.#style
    if (this.#documentResults === 0) out.ascii(style.documentOpen)
    out.ascii(this.#documentResults === 0 ? style.resultOpen : style.nextResultOpen)
    out.ascii(String(result))
    this.#documentResults++
    this.#tables = 0
    this.#depth = 'result'
    this.#resultMark = out.length
    this.#resultTakes = out.takes
    this.#hasFailed = false
  }

  #openTable(batch: ResultBatch): void {
    if (this.#depth === 'none') this.#openResult(batch.result)
    this.#closeTable()
    const { out } = this
    const style = this.#style
    out.ascii(this.#tables === 0 ? style.seriesOpen : style.nextTableOpen)
    const hasName = batch.name !== ''
    if (hasName) {
      out.ascii(style.name)
      writeJsonString(out, batch.name)
    }
    const hasTags = batch.tags.length > 0
    if (hasTags) {
      out.ascii(hasName ? style.nextTagsOpen : style.tagsOpen)
      this.#writeTags(batch)
    }
    out.ascii(hasName || hasTags ? style.nextColumnsOpen : style.columnsOpen)
    for (let i = 0; i < batch.columnNames.length; i++) {
      if (i > 0) out.ascii(style.itemComma)
      writeJsonString(out, batch.columnNames[i])
    }
    out.ascii(style.columnsClose)
    this.#table.set(batch)
    this.#tables++
    this.#tableRows = 0
    this.#depth = 'table'
    this.#hasWritten = true
  }

  #writeTags({ tags }: ResultBatch): void {
    const { out } = this
    for (let i = 0; i < tags.length; i++) {
      if (i > 0) out.ascii(this.#style.itemComma)
      writeJsonString(out, tags[i].key)
      out.ascii(this.#style.colon)
      writeJsonString(out, tags[i].value)
    }
    out.ascii(this.#style.tagsClose)
  }

  #openRows(): void {
    this.out.ascii(this.#style.valuesOpen)
    this.#depth = 'rows'
  }

  #closeTable(isPartial = false): void {
    const style = this.#style
    if (this.#depth === 'rows') this.out.ascii(style.valuesClose)
    if (this.#depth !== 'rows' && this.#depth !== 'table') return
    if (isPartial) this.out.ascii(style.tablePartial)
    this.out.ascii(style.tableClose)
    this.#depth = 'result'
  }

  #closeTables(isPartial = false): void {
    this.#closeTable(isPartial)
    if (this.#tables > 0) this.out.ascii(this.#style.seriesClose)
    this.#tables = 0
    this.#table.forget()
  }

  #closeResult(isTablePartial: boolean, isPartial: boolean): void {
    this.#closeTables(isTablePartial)
    this.#writeMessages()
    if (isPartial) this.out.ascii(this.#style.resultPartial)
    this.out.ascii(this.#style.resultClose)
    this.#depth = 'none'
  }

  #closeDocument(isTablePartial: boolean, isPartial: boolean): void {
    this.#closeResult(isTablePartial, isPartial)
    this.out.ascii(this.#style.documentClose)
    this.#documentResults = 0
  }

  #endResult(): void {
    if (this.#start === undefined) return
    if (this.#chunkRows === undefined) this.#closeResult(false, false)
    else {
      if (this.#depth === 'none' && !this.#hasWritten) this.#openResult(this.#start.result)
      if (this.#depth !== 'none') this.#closeDocument(false, false)
    }
    this.#start = undefined
  }

  /** Once in a result. */
  #writeMessages(): void {
    const messages = this.#start?.messages ?? []
    if (messages.length === 0) return
    const { out } = this
    const style = this.#style
    out.ascii(style.messagesOpen)
    for (let i = 0; i < messages.length; i++) {
      if (i > 0) out.ascii(',')
      out.ascii(style.messageOpen)
      writeJsonString(out, messages[i])
      out.ascii(style.messageClose)
    }
    out.ascii(style.messagesClose)
    if (this.#start !== undefined) this.#start = { ...this.#start, messages: [] }
  }

  /** Forgets what a result that failed has written, as far as that did not leave yet. */
  #rewindResult(): void {
    this.out.length = this.#resultMark
    this.#tables = 0
    this.#table.forget()
    this.#depth = 'result'
  }
}

/** The texts between the values; `next…` where something stands before them. */
type JsonStyle = ReturnType<typeof jsonStyle>

function jsonStyle(isPretty: boolean) {
  const line = (depth: number) => (isPretty ? `\n${'    '.repeat(depth)}` : '')
  const colon = isPretty ? ': ' : ':'
  const row: RowMarks = {
    open: Buffer.from(`[${line(7)}`),
    comma: Buffer.from(`,${line(7)}`),
    close: Buffer.from(`${line(6)}]`),
    next: Buffer.from(`,${line(6)}`),
    between: Buffer.from(`${line(6)}],${line(6)}[${line(7)}`),
  }
  const warning = `${line(5)}"level"${colon}"warning",${line(5)}"text"${colon}`
  return {
    row,
    colon,
    documentOpen: `{${line(1)}"results"${colon}[`,
    documentClose: `${line(1)}]${line(0)}}\n`,
    resultOpen: `${line(2)}{${line(3)}"statement_id"${colon}`,
    nextResultOpen: `,${line(2)}{${line(3)}"statement_id"${colon}`,
    resultPartial: `,${line(3)}"partial"${colon}true`,
    resultClose: `${line(2)}}`,
    error: `,${line(3)}"error"${colon}`,
    seriesOpen: `,${line(3)}"series"${colon}[${line(4)}{`,
    seriesClose: `${line(3)}]`,
    nextTableOpen: `,${line(4)}{`,
    name: `${line(5)}"name"${colon}`,
    tagsOpen: `${line(5)}"tags"${colon}{${line(6)}`,
    nextTagsOpen: `,${line(5)}"tags"${colon}{${line(6)}`,
    tagsClose: `${line(5)}}`,
    columnsOpen: `${line(5)}"columns"${colon}[${line(6)}`,
    nextColumnsOpen: `,${line(5)}"columns"${colon}[${line(6)}`,
    columnsClose: `${line(5)}]`,
    itemComma: `,${line(6)}`,
    valuesOpen: `,${line(5)}"values"${colon}[${line(6)}`,
    valuesClose: `${line(5)}]`,
    tablePartial: `,${line(5)}"partial"${colon}true`,
    tableClose: `${line(4)}}`,
    messagesOpen: `,${line(3)}"messages"${colon}[`,
    messageOpen: `${line(4)}{${warning}`,
    messageClose: `${line(4)}}`,
    messagesClose: `${line(3)}]`,
  }
}

const compactStyle = jsonStyle(false)
const prettyStyle = jsonStyle(true)

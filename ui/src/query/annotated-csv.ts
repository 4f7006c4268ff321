// Annotated CSV, Flux's answer, read as it comes: tables with their group keys, columns by their types. Text comes in
// pieces that end anywhere; a piece of a line waits for the rest.

import { ColumnBuilder, type ColumnKind, type Table } from './result.js'

interface Header {
  readonly names: string[]
  readonly types: string[]
  readonly groups: boolean[]
  readonly defaults: string[]
}

export class AnnotatedCsv {
  readonly tables: Table[] = []
  rowCount = 0
  /** Told by the answer in the place of rows. */
  failure: string | undefined
  #rest = ''
  #annotations = new Map<string, string[]>()
  #header: Header | undefined
  #builders: ColumnBuilder[] = []
  #tableId: string | undefined
  #tags: Record<string, string> = {}
  #name = ''

  add(text: string): void {
    const all = this.#rest + text
    let start = 0
    for (;;) {
      const end = lineEnd(all, start)
      if (end < 0) break
      this.#line(all.slice(start, all[end - 1] === '\r' ? end - 1 : end))
      start = end + 1
    }
    this.#rest = all.slice(start)
  }

  finish(): Table[] {
    if (this.#rest !== '') this.#line(this.#rest)
    this.#rest = ''
    this.#endTable()
    return this.tables
  }

  #line(line: string): void {
    if (line === '') {
      this.#endTable()
      this.#header = undefined
      this.#annotations = new Map()
      return
    }
    const cells = line.includes('"') ? splitQuoted(line) : line.split(',')
    if (line.startsWith('#')) {
      this.#endTable()
      this.#header = undefined
      this.#annotations.set(cells[0], cells)
    } else if (this.#header === undefined) this.#header = this.#readHeader(cells)
    else this.#row(cells, this.#header)
  }

  #readHeader(cells: string[]): Header {
    const types = this.#annotations.get('#datatype') ?? []
    const groups = this.#annotations.get('#group') ?? []
    return {
      names: cells,
      types,
      groups: groups.map((text) => text === 'true'),
      defaults: this.#annotations.get('#default') ?? [],
    }
  }

  #row(cells: string[], header: Header): void {
    const { names, defaults } = header
    if (names[1] === 'error') {
      this.failure ??= cells[1]
      return
    }
    const table = names.indexOf('table')
    const id = `${cells[1] === '' ? defaults[1] : cells[1]}/${cells[table]}`
    if (id !== this.#tableId) this.#startTable(id, cells, header)
    let at = 0
    for (let i = 0; i < names.length; i++) {
      if (!isShown(names[i], i)) continue
      addCell(this.#builders[at++], header.types[i], cells[i] === '' ? defaults[i] : cells[i])
    }
    this.rowCount++
  }

  #startTable(id: string, cells: string[], { names, types, groups, defaults }: Header): void {
    this.#endTable()
    this.#tableId = id
    this.#tags = {}
    this.#builders = []
    this.#name = (cells[1] === '' ? defaults[1] : cells[1]) ?? ''
    for (let i = 0; i < names.length; i++) {
      if (!isShown(names[i], i)) continue
      this.#builders.push(new ColumnBuilder(names[i], kindOf(types[i])))
      if (groups[i]) this.#tags[names[i]] = cells[i] === '' ? (defaults[i] ?? '') : cells[i]
    }
  }

  #endTable(): void {
    if (this.#tableId === undefined) return
    const columns = this.#builders.map((builder) => builder.finish())
    const rowCount = columns[0]?.values.length ?? 0
    this.tables.push({ name: this.#name, tags: this.#tags, columns, rowCount })
    this.#tableId = undefined
  }
}

/** The annotation's own column, the result's name and the table's number are no data. */
function isShown(name: string, index: number): boolean {
  return index > 0 && name !== 'result' && name !== 'table'
}

function kindOf(type: string | undefined): ColumnKind {
  if (type?.startsWith('dateTime')) return 'time'
  if (type === 'double' || type === 'long' || type === 'unsignedLong') return 'number'
  return type === 'boolean' ? 'boolean' : 'text'
}

function addCell(builder: ColumnBuilder, type: string | undefined, text: string | undefined): void {
  if (text === undefined || (text === '' && type !== 'string')) builder.padTo(builder.length + 1)
  else if (builder.kind === 'number') builder.number(floatOf(text))
  else if (builder.kind === 'time') builder.moment(text)
  else if (builder.kind === 'boolean') builder.boolean(text === 'true')
  else builder.text(text)
}

function floatOf(text: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY
  return text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text)
}

/** Of the line that starts there; -1 where it has not come yet. Line feeds within quotes end nothing. */
function lineEnd(text: string, start: number): number {
  let end = text.indexOf('\n', start)
  let quote = text.indexOf('"', start)
  if (quote < 0 || quote > end) return end
  let isQuoted = false
  let at = start
  for (;;) {
    if (isQuoted) {
      quote = text.indexOf('"', at)
      if (quote < 0) return -1
      isQuoted = false
      at = quote + 1
      continue
    }
    end = text.indexOf('\n', at)
    quote = text.indexOf('"', at)
    if (quote < 0 || (end >= 0 && end < quote)) return end
    isQuoted = true
    at = quote + 1
  }
}

export function splitQuoted(line: string): string[] {
  const cells: string[] = []
  let at = 0
  for (;;) {
    if (line[at] !== '"') {
      const comma = line.indexOf(',', at)
      cells.push(line.slice(at, comma < 0 ? undefined : comma))
      if (comma < 0) return cells
      at = comma + 1
      continue
    }
    let cell = ''
    at++
    for (;;) {
      const quote = line.indexOf('"', at)
      if (quote < 0) {
        cells.push(cell + line.slice(at))
        return cells
      }
      cell += line.slice(at, quote)
      at = quote + 1
      if (line[at] !== '"') break
      cell += '"'
      at++
    }
    cells.push(cell)
    if (at >= line.length) return cells
    at++
  }
}

// The lines above the header of annotated CSV, of Flux results (`#group`, `#datatype`, `#default`) and those that
// `influx write` knows besides (`#constant`, `#concat`, `#timezone`), and what they and the header make of the columns.

import { UserError } from '../../errors.js'
import { columnOf, type FormatOptions, type PointColumn } from '../points/point-column.js'
import type { Cell } from '../points/point-rows.js'

export interface CsvHeader {
  /** One per cell, then constants and those made of others. Undefined: nobody says what it is. */
  readonly columns: readonly (PointColumn | undefined)[]
  readonly names: readonly string[]
  readonly zone: string | undefined
}

/** Flux's own columns. */
const fluxRoles: Readonly<Record<string, PointColumn['role']>> = {
  _measurement: 'measurement',
  _field: 'field-name',
  _value: 'field-value',
  _time: 'time',
  _start: 'ignored',
  _stop: 'ignored',
  result: 'ignored',
  table: 'ignored',
}

export class Annotations {
  #groups: readonly Cell[] | undefined
  #types: readonly Cell[] | undefined
  #defaults: readonly Cell[] = []
  #zone: string | undefined
  readonly #made: PointColumn[] = []

  /** Whether the record is one. Throws UserError for one that nobody knows. */
  take(cells: readonly Cell[]): boolean {
    const [, name, ofFirst = ''] = /^#\s*([a-zA-Z]+)\s*(.*)$/.exec(cells[0] ?? '') ?? []
    // The first column's own annotation may stand right behind the name.
    const own = [ofFirst === '' ? undefined : ofFirst, ...cells.slice(1)]
    switch (name) {
      case 'group':
        this.#groups = own
        return true
      case 'datatype':
        this.#types = own
        return true
      case 'default':
        this.#defaults = own
        return true
      case 'constant':
        this.#made.push(constantOf(own.filter(isGiven)))
        return true
      case 'concat':
        this.#made.push(concatOf(own.filter(isGiven)))
        return true
      case 'timezone':
        this.#zone = own.find(isGiven)?.trim()
        return true
      default:
        return false
    }
  }

  /** Of the record behind the annotations. */
  header(cells: readonly Cell[], options: FormatOptions): CsvHeader {
    // The first cell below the names of annotations is empty.
    const isShifted = this.#types !== undefined && this.#types[0] === undefined
    const hasError = cells.includes('error') && cells.includes('reference') && cells.length <= 3
    if (hasError) throw new UserError('invalid', 'the file is the error of a query')
    const columns = cells.map((cell, i) => {
      if (cell === undefined) return { name: '', role: 'ignored' as const }
      return isShifted && i === 0
        ? { name: cell, role: 'ignored' as const }
        : this.#column(cell, i, options)
    })
    const names = cells.map((cell) => this.#nameParts(cell ?? '')[0])
    return { columns: [...columns, ...this.#made], names, zone: this.#zone }
  }

  /** Where the types stand above, a name may hold anything. */
  #nameParts(cell: string): readonly string[] {
    return this.#types === undefined ? cell.split('|') : [cell]
  }

  #column(cell: string, at: number, { columns = {} }: FormatOptions): PointColumn | undefined {
    const [name, ofHeader, defaultOfHeader] = this.#nameParts(cell)
    const otherwise = defaultOfHeader ?? this.#defaults[at]
    const withDefault = (column: PointColumn) =>
      otherwise === undefined ? column : { ...column, default: otherwise }
    const word = Object.hasOwn(columns, name) ? columns[name] : (ofHeader ?? this.#types?.[at])
    const told = word === undefined ? undefined : columnOf(name, word)
    if (this.#groups === undefined) return told && withDefault(told)
    const role = Object.hasOwn(fluxRoles, name) ? fluxRoles[name] : undefined
    if (role === 'field-value') return { ...told, name, role }
    if (role !== undefined) return withDefault({ name, role, format: told?.format })
    if (this.#groups[at] === 'true') return withDefault({ name, role: 'tag' })
    // A time that is no column of the point itself is a value like others.
    if (told?.role === 'time') return withDefault({ ...told, role: 'field', type: 'dateTime' })
    return told && withDefault(told)
  }
}

function isGiven(cell: Cell): cell is string {
  return cell !== undefined
}

/** `type,name,value`; also `measurement,value`, which needs no name. */
function constantOf(parts: readonly string[]): PointColumn {
  const [word = '', name = '', value] = parts
  if (parts.length === 2) return { ...madeColumn(word, word), constant: name }
  return { ...madeColumn(name, word), constant: value ?? '' }
}

function concatOf(parts: readonly string[]): PointColumn {
  const [word = '', name = '', template] = parts
  if (parts.length === 2) return { ...madeColumn(word, word), template: name }
  return { ...madeColumn(name, word), template: template ?? '' }
}

function madeColumn(name: string, word: string): PointColumn {
  return columnOf(name, word) ?? { name, role: 'field', type: 'string' }
}

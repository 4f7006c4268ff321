// The group key of a table: the columns whose value is the same in all its rows, sorted by name. Two
// keys are equal when columns, types and values are; `text` is the same exactly then.

import { compareUtf8 } from '../../column/series.js'
import type { Cell, TableColumn } from '../../query/table.js'

export interface KeyEntry extends TableColumn {
  readonly value: Cell | null
}

export class GroupKey {
  readonly entries: readonly KeyEntry[]
  #text: string | undefined

  private constructor(entries: readonly KeyEntry[]) {
    this.entries = entries
  }

  static of(entries: readonly KeyEntry[]): GroupKey {
    return new GroupKey([...entries].sort((a, b) => compareUtf8(a.name, b.name)))
  }

  /** For entries that are known to be sorted by name. */
  static ofSorted(entries: readonly KeyEntry[]): GroupKey {
    return new GroupKey(entries)
  }

  has(name: string): boolean {
    return this.entry(name) !== undefined
  }

  entry(name: string): KeyEntry | undefined {
    for (const entry of this.entries) if (entry.name === name) return entry
    return undefined
  }

  get text(): string {
    this.#text ??= this.entries.map(entryText).join('')
    return this.#text
  }

  with(entry: KeyEntry): GroupKey {
    return GroupKey.of([...this.entries.filter(({ name }) => name !== entry.name), entry])
  }

  without(names: ReadonlySet<string>): GroupKey {
    if (!this.entries.some(({ name }) => names.has(name))) return this
    return new GroupKey(this.entries.filter(({ name }) => !names.has(name)))
  }
}

export const emptyKey = GroupKey.of([])

/** Names and values with their lengths before them, so that none can imitate the beginning of another. */
function entryText({ name, type, value }: KeyEntry): string {
  const text = value === null ? '' : Object.is(value, -0) ? '-0' : String(value)
  return `${name.length}:${name}${type}${value === null ? 'null' : text.length}:${text}`
}

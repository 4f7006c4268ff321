// Which columns make the groups that tables are put together in: those that are named, or all but those. `group` says
// it, and so do `keep` and `drop` of columns of the key: what they leave the same becomes one table.

export interface GroupColumns {
  readonly names: ReadonlySet<string>
  /** Those that are named make none. */
  readonly isExcept: boolean
  /** The other columns are no longer there, so that whole rows cannot be shown. */
  readonly isCut: boolean
}

export function makesGroup({ names, isExcept }: GroupColumns, name: string): boolean {
  return names.has(name) !== isExcept
}

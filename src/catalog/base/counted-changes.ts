// What is done when a row of a counted table changes: the version of its kind rises, in the transaction that makes the
// change (`versions.ts`). In a file of its own for those who make the tables and for those who change them.

/** For a row by its name in a trigger: raises the version that the row names in `column`, or else the table's own. */
export function countingStatement(table: string, column?: string): (row: string) => string {
  return (row) => {
    const kind = column === undefined ? `'${table}'` : `${row}.${column}`
    return `INSERT INTO versions (kind, version) VALUES (${kind}, 1)
      ON CONFLICT (kind) DO UPDATE SET version = versions.version + 1`
  }
}

// What commands print of an answer: JSON for programs, or columns for people. Both answer with the
// exit code of a command that succeeded.

export function printJson(value: unknown): number {
  process.stdout.write(`${JSON.stringify(value, undefined, 2)}\n`)
  return 0
}

export function printRows(titles: readonly string[], rows: readonly (readonly string[])[]): number {
  const all = [titles, ...rows]
  const widths = titles.map((_, i) => Math.max(...all.map((row) => row[i].length)))
  for (const row of all) {
    const cells = row.map((cell, i) => cell.padEnd(widths[i]))
    process.stdout.write(`${cells.join('  ').trimEnd()}\n`)
  }
  return 0
}

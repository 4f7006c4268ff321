// The name that somebody probably meant: the one that is reached with the fewest changed letters, where these are few
// for its length.

/** Undefined: none is near. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  let nearest: string | undefined
  let least = Math.max(1, Math.floor(name.length / 3)) + 1
  for (const one of names) {
    if (Math.abs(one.length - name.length) >= least) continue
    const changes = changesBetween(name.toLowerCase(), one.toLowerCase())
    if (changes >= least) continue
    least = changes
    nearest = one
  }
  return nearest
}

/** Letters put in, left out or changed; neighbours that changed places are one. */
function changesBetween(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (isSame ? 0 : 1))
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwapped) next[j] = Math.min(next[j], before[j - 2] + 1)
    }
    before = row
    row = next
  }
  return row[b.length]
}

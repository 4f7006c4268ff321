// What can be told of line protocol without reading all of it: how many lines hold points, and in which unit their
// times seem to be.

export function lineCount(text: string): number {
  let count = 0
  for (const line of text.split('\n')) if (/^\s*[^\s#]/.test(line)) count++
  return count
}

/** By the number of digits: seconds have ten for the next 260 years. */
export function guessPrecision(text: string): 'ns' | 'us' | 'ms' | 's' {
  const digits = / (\d{9,19})\s*$/m.exec(text)?.[1].length ?? 19
  if (digits <= 11) return 's'
  if (digits <= 14) return 'ms'
  return digits <= 17 ? 'us' : 'ns'
}

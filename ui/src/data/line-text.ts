// What can be told of line protocol without reading all of it: how many lines hold points, in which unit their
// times seem to be, and which of them were refused.

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

interface RefusedLine {
  readonly line: number
  readonly message: string
}

export interface RefusedText extends RefusedLine {
  readonly text: string
}

/** Each line once, with the first thing that was wrong with it. */
export function refusedTexts(text: string, refused: readonly RefusedLine[]): RefusedText[] {
  const lines = text.split('\n')
  const byLine = new Map<number, RefusedText>()
  for (const { line, message } of refused) {
    if (!byLine.has(line)) byLine.set(line, { line, message, text: lines[line - 1] ?? '' })
  }
  return [...byLine.values()]
}

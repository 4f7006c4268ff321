// Patterns of names in Flight SQL's metadata commands: `%` stands for any text, `_` for any character, and a
// backslash takes the meaning from whatever follows it. Matched without going back further than the last
// `%`, so that no pattern takes long.

/** `pattern` undefined: every name matches. */
export function matchesPattern(name: string, pattern: string | undefined): boolean {
  if (pattern === undefined) return true
  const steps = stepsOf(pattern)
  const letters = [...name]
  let at = 0
  let step = 0
  let retryStep = -1
  let retryAt = 0
  while (at < letters.length) {
    const wanted = steps[step]
    if (wanted?.kind === 'any-text') {
      retryStep = ++step
      retryAt = at
    } else if (
      wanted !== undefined &&
      (wanted.kind === 'any-letter' || wanted.letter === letters[at])
    ) {
      step++
      at++
    } else if (retryStep >= 0) {
      step = retryStep
      at = ++retryAt
    } else {
      return false
    }
  }
  while (steps[step]?.kind === 'any-text') step++
  return step === steps.length
}

type Step =
  | { readonly kind: 'any-text' }
  | { readonly kind: 'any-letter' }
  | { readonly kind: 'letter'; readonly letter: string }

function stepsOf(pattern: string): Step[] {
  const steps: Step[] = []
  let isEscaped = false
  for (const letter of pattern) {
    if (isEscaped) steps.push({ kind: 'letter', letter })
    else if (letter === '%') steps.push({ kind: 'any-text' })
    else if (letter === '_') steps.push({ kind: 'any-letter' })
    else if (letter !== '\\') steps.push({ kind: 'letter', letter })
    isEscaped = !isEscaped && letter === '\\'
  }
  return steps
}

// The tokens of a Flux script: enough of the language to find options and queries in it, in time that
// grows with the text and no faster.

import { describe, expect, test } from 'vitest'
import { fluxTokens } from './flux-tokens.js'

describe('what nothing closes', () => {
  // Looking for the end from each of them would take minutes, and the test would never end.
  test.each([
    ['quotes', '"'],
    ['escaped quotes', '\\"'],
    ['slashes where a value is expected', '(/ '],
  ])('%s are passed over in one go', (_, part) => {
    const text = `${part.repeat(100_000)}x`
    expect(fluxTokens(text).length).toBeGreaterThan(0)
  })

  test('a quote behind an open one is a sign of its own', () => {
    const texts = fluxTokens('a "b').map((token) => token.text)
    expect(texts).toContain('"')
  })
})

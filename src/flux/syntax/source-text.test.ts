// Places in a script, there and back: lines, and columns in bytes of UTF-8. What counts is what Node's encoder makes
// of the text before a place.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SourceText } from './source-text.js'

/** Long enough to reach over several marks. */
const characters = fc.array(fc.constantFrom('a', 'b c', '\n', 'é', '日本', '\u{1f600}'), {
  maxLength: 300,
})

test('a place is its line and the bytes before it there', () => {
  fc.assert(
    fc.property(characters, (pieces) => {
      const text = pieces.join('')
      const source = new SourceText(text, '')
      let offset = 0
      for (const piece of [...pieces, '']) {
        const lineStart = text.lastIndexOf('\n', offset - 1) + 1
        const line = text.slice(0, offset).split('\n').length
        const column = Buffer.byteLength(offset === 0 ? '' : text.slice(lineStart, offset)) + 1
        expect(source.positionAt(offset)).toEqual({ line, column })
        expect(source.offsetOf({ line, column })).toBe(offset)
        offset += piece.length
      }
    }),
  )
})

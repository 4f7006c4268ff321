// A condition on texts, asked once for each entry of a dictionary and not for each row: of states there are six
// among millions of rows. Rows of a group come in pieces with the same dictionary, so that answers are kept
// until another one comes.

import { CodeMap } from '../../../column/code-map.js'
import { dictionaryEntry, type StringColumn, type Utf8Dictionary } from '../../../column/column.js'

/** What is asked of an entry. */
type Ask = (dictionary: Utf8Dictionary, code: number) => boolean

export class TextTest {
  readonly #ask: Ask
  #dictionary: Utf8Dictionary | undefined
  /** By code: 1 where it passes, 0 where not. */
  #answers: CodeMap | undefined

  private constructor(ask: Ask) {
    this.#ask = ask
  }

  static of(test: (text: string) => boolean): TextTest {
    return new TextTest((dictionary, code) => test(dictionaryEntry(dictionary, code)))
  }

  /** Equal texts have equal bytes: they need not be spelled out, and mostly differ in length. */
  static equal(text: string, negated: boolean): TextTest {
    const wanted = Buffer.from(text)
    return new TextTest((dictionary, code) => isEntry(dictionary, code, wanted) !== negated)
  }

  /** out[i] = 1 where row start + i passes; rows without a value do not. */
  mark(column: StringColumn, start: number, stop: number, out: Uint8Array): void {
    const { values, validity, dictionary } = column
    const answers = this.#answersOf(dictionary, stop - start)
    for (let row = start; row < stop; row++) {
      if (validity !== undefined && validity[row] === 0) continue
      const code = values[row]
      let answer = answers.get(code)
      if (answer < 0) {
        answer = this.#ask(dictionary, code) ? 1 : 0
        answers.set(code, answer)
      }
      out[row - start] = answer
    }
  }

  #answersOf(dictionary: Utf8Dictionary, rowCount: number): CodeMap {
    if (this.#answers === undefined || this.#dictionary !== dictionary) {
      this.#dictionary = dictionary
      this.#answers = new CodeMap(dictionary.count, rowCount)
    }
    return this.#answers
  }
}

function isEntry({ offsets, bytes }: Utf8Dictionary, code: number, wanted: Uint8Array): boolean {
  const start = offsets[code]
  if (offsets[code + 1] - start !== wanted.length) return false
  for (let i = 0; i < wanted.length; i++) if (bytes[start + i] !== wanted[i]) return false
  return true
}

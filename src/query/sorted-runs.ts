// Texts in order, however many there are and whoever brings them: each page is sorted as it comes, and the sorted runs
// are brought together while they are read. What a LIMIT leaves out is dropped on the way. No step takes long, so that
// others have their turn in between.

import { compareUtf8 } from '../column/series.js'
import { Turn } from '../platform/turns.js'

/** Runs are brought together before they are more than this. */
const runsMax = 64

export class SortedRuns {
  /** The first so many are all that anybody will read. */
  readonly #wanted: number
  #runs: (readonly string[])[] = []

  constructor(wanted: number) {
    this.#wanted = wanted
  }

  add(page: readonly string[]): void {
    if (page.length === 0) return
    const isSorted = page.every((text, i) => i === 0 || compareUtf8(page[i - 1], text) <= 0)
    const run = isSorted ? page : [...page].sort(compareUtf8)
    this.#runs.push(run.length > this.#wanted ? run.slice(0, this.#wanted) : run)
    // With a limit little is kept; without one the runs stay as they are, and cost nothing more.
    if (this.#runs.length > runsMax && this.#wanted < Number.POSITIVE_INFINITY) {
      this.#runs = [[...this.texts()]]
    }
  }

  /** In order, each once, up to what is wanted. */
  *texts(): Generator<string, void, void> {
    const heap = new RunHeap(this.#runs)
    let left = this.#wanted
    let last: string | undefined
    for (let text = heap.take(); text !== undefined && left > 0; text = heap.take()) {
      if (text === last) continue
      last = text
      left--
      yield text
    }
  }
}

/** Made into keys of series and encoded by whoever reads them, which takes about 8 us each. */
const pieceTexts = 1000

/** With a turn for everybody else between two pieces. */
export async function* inPieces(texts: Iterable<string>): AsyncGenerator<string[], void, void> {
  const turn = new Turn()
  let piece: string[] = []
  for (const text of texts) {
    piece.push(text)
    if (piece.length < pieceTexts) continue
    yield piece
    piece = []
    if (turn.isOver) await turn.others()
  }
  if (piece.length > 0) yield piece
}

interface Cursor {
  readonly run: readonly string[]
  at: number
}

/** The smallest of what the runs begin with. */
class RunHeap {
  readonly #cursors: Cursor[] = []

  constructor(runs: readonly (readonly string[])[]) {
    for (const run of runs) if (run.length > 0) this.#cursors.push({ run, at: 0 })
    for (let i = this.#cursors.length >>> 1; i >= 0; i--) this.#sink(i)
  }

  take(): string | undefined {
    const [first] = this.#cursors
    if (first === undefined) return undefined
    const text = first.run[first.at++]
    if (first.at === first.run.length) {
      const last = this.#cursors.pop() as Cursor
      if (last !== first) this.#cursors[0] = last
    }
    this.#sink(0)
    return text
  }

  #sink(from: number): void {
    const cursors = this.#cursors
    let at = from
    for (;;) {
      let least = at
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < cursors.length && isBefore(cursors[child], cursors[least])) least = child
      }
      if (least === at) return
      const moved = cursors[at]
      cursors[at] = cursors[least]
      cursors[least] = moved
      at = least
    }
  }
}

function isBefore(a: Cursor, b: Cursor): boolean {
  return compareUtf8(a.run[a.at], b.run[b.at]) < 0
}

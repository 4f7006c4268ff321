// How far something long has come: one line that is drawn anew on a terminal, nothing where standard
// error is none.

import { SingleBar } from 'cli-progress'

export interface ProgressState {
  readonly done: number
  readonly total: number
  readonly points: number
  readonly what: string
}

/** Drawn so often at most. */
const drawMs = 200

export class ProgressLine {
  readonly #bar: SingleBar | undefined
  #isStarted = false
  readonly #startedMs = performance.now()

  constructor(isWanted = process.stderr.isTTY === true) {
    if (!isWanted) return
    const format = '{bar} {percentage}% | {points} points | {rate}/s | {left} left | {what}'
    this.#bar = new SingleBar({
      format,
      stream: process.stderr,
      fps: 1000 / drawMs,
      barsize: 20,
      hideCursor: true,
      clearOnComplete: true,
      barCompleteChar: '#',
      barIncompleteChar: '.',
    })
  }

  update({ done, total, points, what }: ProgressState): void {
    const bar = this.#bar
    if (bar === undefined) return
    const seconds = (performance.now() - this.#startedMs) / 1000
    const rate = shortNumber(points / Math.max(seconds, 0.001))
    const left = done === 0 ? '?' : `${Math.ceil((seconds / done) * (total - done))}s`
    const payload = { points: shortNumber(points), rate, left, what }
    if (!this.#isStarted) bar.start(Math.max(total, 1), done, payload)
    else {
      bar.setTotal(Math.max(total, 1))
      bar.update(done, payload)
    }
    this.#isStarted = true
  }

  /** A line above it. */
  note(text: string): void {
    if (this.#isStarted) this.#bar?.stop()
    this.#isStarted = false
    process.stderr.write(`${text}\n`)
  }

  end(): void {
    this.#bar?.stop()
  }
}

export function shortNumber(value: number): string {
  if (value >= 1e9) return `${(value / 1e9).toFixed(1)}G`
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)}M`
  return value >= 1e4 ? `${(value / 1e3).toFixed(0)}k` : value.toFixed(0)
}

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

const drawing = {
  stream: process.stderr,
  fps: 1000 / drawMs,
  barsize: 20,
  hideCursor: true,
  clearOnComplete: true,
  barCompleteChar: '#',
  barIncompleteChar: '.',
}

export class ProgressLine {
  readonly #bar: SingleBar | undefined
  #isStarted = false
  readonly #startedMs = performance.now()

  constructor(isWanted = process.stderr.isTTY === true) {
    if (!isWanted) return
    const format = '{bar} {percentage}% | {points} points | {rate}/s | {left} left | {what}'
    this.#bar = new SingleBar({ ...drawing, format })
  }

  /** Since it was made. */
  get seconds(): number {
    return (performance.now() - this.#startedMs) / 1000
  }

  update({ done, total, points, what }: ProgressState): void {
    const bar = this.#bar
    if (bar === undefined) return
    const { seconds } = this
    const rate = shortNumber(points / Math.max(seconds, 0.001))
    const left = done === 0 ? '?' : spanText((seconds / done) * (total - done))
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

/** Bytes on their way, and how many there will be where that is known. */
export class ByteLine {
  readonly #bar: SingleBar | undefined
  readonly #total: number | undefined
  readonly #startedMs = performance.now()
  #bytes = 0

  constructor(what: string, total?: number) {
    this.#total = total
    if (process.stderr.isTTY !== true) return
    const known = '{bar} {percentage}% | {bytes}B | {rate}B/s | {left} left'
    const format = `${total === undefined ? '{bytes}B | {rate}B/s' : known} | ${what}`
    this.#bar = new SingleBar({ ...drawing, format })
    this.#bar.start(Math.max(total ?? 1, 1), 0, { bytes: '0', rate: '0', left: '?' })
  }

  readonly add = (count: number): void => {
    this.#bytes += count
    const seconds = Math.max((performance.now() - this.#startedMs) / 1000, 0.001)
    const rate = this.#bytes / seconds
    const left = spanText(((this.#total ?? 0) - this.#bytes) / rate)
    const payload = { bytes: shortNumber(this.#bytes), rate: shortNumber(rate), left }
    this.#bar?.update(this.#total === undefined ? 0 : this.#bytes, payload)
  }

  end(): void {
    this.#bar?.stop()
  }
}

/** `45s`, `12m 30s`, `3h 5m`, `2d 4h`. */
export function spanText(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds))
  if (whole < 60) return `${whole}s`
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${whole % 60}s`
  const hours = Math.floor(whole / 3600)
  if (hours < 24) return `${hours}h ${Math.floor((whole % 3600) / 60)}m`
  return `${Math.floor(hours / 24)}d ${hours % 24}h`
}

export function shortNumber(value: number): string {
  if (value >= 1e9) return `${(value / 1e9).toFixed(1)}G`
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)}M`
  return value >= 1e4 ? `${(value / 1e3).toFixed(0)}k` : value.toFixed(0)
}

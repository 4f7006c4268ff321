// How fast an import may send: `5 MB / 5 min` as `influx write` has it. What was sent is paid for before more is sent,
// so that the bound holds over any longer span, whatever the size of the batches is.

import { UserError } from '../errors.js'

const byteUnits: Readonly<Record<string, number>> = { B: 1, kB: 1024, MB: 1 << 20, GB: 1 << 30 }
const secondUnits: Readonly<Record<string, number>> = { s: 1, sec: 1, m: 60, min: 60, h: 3600 }

/** Bytes per second. Throws UserError for a text that is none. */
export function bytesPerSecond(text: string): number {
  const parts = /^(\d+(?:\.\d+)?)(B|kB|MB|GB)\/?(\d*)(s|sec|m|min|h)$/.exec(
    text.replaceAll(' ', ''),
  )
  const rate =
    parts === null
      ? 0
      : (Number(parts[1]) * byteUnits[parts[2]]) / (Number(parts[3] || 1) * secondUnits[parts[4]])
  if (rate > 0 && Number.isFinite(rate)) return rate
  throw new UserError('invalid', `"${text}" is no rate such as "5 MB / 5 min" or "17 kB/s"`)
}

export class SendingPace {
  readonly #bytesPerMs: number
  /** When what was sent so far is paid for. */
  #freeAtMs = 0

  constructor(rate: number) {
    this.#bytesPerMs = rate / 1000
  }

  /** How long to wait before so many bytes are sent. */
  take(byteLength: number, nowMs: number): number {
    const waitMs = Math.max(0, this.#freeAtMs - nowMs)
    this.#freeAtMs = nowMs + waitMs + byteLength / this.#bytesPerMs
    return waitMs
  }
}

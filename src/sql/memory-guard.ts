// Stops statements that take memory past DuckDB's own count: it has a limit, but texts made within a
// vector do not count (`s || s`, again and again). So the memory of the whole process is looked at while
// statements run, and where it has grown by more than they may take together, those that saw it grow are
// stopped. Whose memory it is nobody can tell, so that one greedy statement may take another one with it;
// the service stays.

import { UserError } from '../errors.js'
import type { ProcessMemory } from '../platform/process-memory.js'

/** A vector of texts doubles within some 10 ms. */
const lookMilliseconds = 20
/** What the rest of the process may take meanwhile: rows on their way, writes, other queries. */
const slackBytes = 256 * 1024 * 1024

interface Watched {
  readonly memory: ProcessMemory
  readonly bytesMax: number
  readonly bytesAtStart: number
  readonly stop: AbortController
}

const watched = new Set<Watched>()
let timer: NodeJS.Timeout | undefined

/** Runs `use` with a signal that is aborted when the given one is, or when there is no memory left. */
export async function* guardMemory<T>(
  memory: ProcessMemory,
  bytesMax: number,
  signal: AbortSignal,
  use: (signal: AbortSignal) => AsyncIterable<T>,
): AsyncGenerator<T, void, void> {
  if (bytesMax === 0) {
    yield* use(signal)
    return
  }
  const stop = new AbortController()
  const mine = { memory, bytesMax, bytesAtStart: memory.residentBytes(), stop }
  watched.add(mine)
  timer ??= setInterval(look, lookMilliseconds).unref()
  try {
    yield* use(AbortSignal.any([signal, stop.signal]))
  } finally {
    watched.delete(mine)
    if (watched.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
  }
}

function look(): void {
  let allowed = slackBytes
  for (const { bytesMax } of watched) allowed += bytesMax
  for (const { memory, bytesMax, bytesAtStart, stop } of watched) {
    const grown = memory.residentBytes() - bytesAtStart
    if (grown <= allowed) continue
    const figures = `(${grown}/${bytesMax} bytes)`
    stop.abort(new UserError('invalid', `query memory limit exceeded: ${figures}`))
  }
}

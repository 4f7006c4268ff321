// Streams that give at once what is there. An async iterator has a promise for everything, and a small query
// passes through half a dozen of them: what is ready is handed on here by itself, and only what has to be
// waited for is a promise. To everybody else they are async iterators like any other.

export type Soon<T> = T | Promise<T>

export abstract class PullStream<T> implements AsyncIterableIterator<T> {
  /** The next one; undefined: there are no more. Throws, or rejects. Not to be called before the last one is there. */
  abstract take(): Soon<T | undefined>

  /** Ends what is under way where not everything is taken. */
  abstract stop(): Soon<void>

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    const taken = this.take()
    const value = taken instanceof Promise ? await taken : taken
    return value === undefined ? { done: true, value: undefined } : { done: false, value }
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    await this.stop()
    return { done: true, value: undefined }
  }
}

/** Of any iterator: its next value, without waiting where it is one of these. */
export function take<T>(from: AsyncIterator<T, unknown>): Soon<T | undefined> {
  return from instanceof PullStream ? (from as PullStream<T>).take() : from.next().then(taken)
}

function taken<T>({ done, value }: IteratorResult<T, unknown>): T | undefined {
  return done === true ? undefined : (value as T)
}

/** The same for whoever has had enough. */
export function stop(from: AsyncIterator<unknown, unknown>): Soon<unknown> {
  return from instanceof PullStream ? from.stop() : from.return?.()
}

/**
 * Everything of an iterator, one after the other, until `use` returns false; true: all was used. Where it was not, or
 * something failed, the iterator is told to stop.
 */
export function takeEach<T>(
  from: AsyncIterator<T, unknown>,
  use: (value: T) => boolean,
): Soon<boolean> {
  try {
    for (;;) {
      const value = take(from)
      if (value instanceof Promise) return takeRest(from, value, use)
      if (value === undefined) return true
      if (!use(value)) break
    }
  } catch (error) {
    return giveUp(from, error)
  }
  const stopped = stop(from)
  return stopped instanceof Promise && stopped.then(() => false)
}

async function takeRest<T>(
  from: AsyncIterator<T, unknown>,
  first: Promise<T | undefined>,
  use: (value: T) => boolean,
): Promise<boolean> {
  try {
    for (let value = await first; value !== undefined; value = await take(from)) {
      if (use(value)) continue
      await stop(from)
      return false
    }
    return true
  } catch (error) {
    return giveUp(from, error)
  }
}

async function giveUp(from: AsyncIterator<unknown, unknown>, error: unknown): Promise<never> {
  await stop(from)
  throw error
}

// The streams of both waists: batches, pieces of a result, bytes. An async iterator makes a promise for every
// value, and a small query passes through half a dozen iterators: here a value that is ready is returned as it
// is, and only what has to be waited for is a promise. `for await` works as with any async iterator.

export type MaybePromise<T> = T | Promise<T>

/** Goes on with a value: at once where it is ready. */
export function whenReady<T, U>(
  value: MaybePromise<T>,
  use: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return value instanceof Promise ? value.then(use) : use(value)
}

export abstract class PullStream<T> implements AsyncIterableIterator<T> {
  /** The next value; undefined: the end. Throws or rejects. Not to be called while an earlier call is pending. */
  abstract take(): MaybePromise<T | undefined>

  /** Ends the work where the end was not reached. May be called again, and behind the end, without effect. */
  abstract close(): MaybePromise<void>

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    const taken = this.take()
    const value = taken instanceof Promise ? await taken : taken
    return value === undefined ? { done: true, value: undefined } : { done: false, value }
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    await this.close()
    return { done: true, value: undefined }
  }
}

/** A generator, or any other source of promises, as a stream. */
export function streamOf<T>(source: AsyncIterable<T>): PullStream<T> {
  return new IterableStream(source)
}

class IterableStream<T> extends PullStream<T> {
  readonly #iterator: AsyncIterator<T, unknown>

  constructor(source: AsyncIterable<T>) {
    super()
    this.#iterator = source[Symbol.asyncIterator]()
  }

  take(): Promise<T | undefined> {
    return this.#iterator.next().then(resultValue)
  }

  async close(): Promise<void> {
    await this.#iterator.return?.()
  }
}

function resultValue<T>({ done, value }: IteratorResult<T, unknown>): T | undefined {
  return done === true ? undefined : (value as T)
}

/**
 * Calls `use` with every value until it returns false; true: all was used. Where it was not, or something failed, the
 * stream is closed.
 */
export function takeEach<T>(
  from: PullStream<T>,
  use: (value: T) => boolean,
): MaybePromise<boolean> {
  try {
    for (;;) {
      const value = from.take()
      if (value instanceof Promise) return takeRest(from, value, use)
      if (value === undefined) return true
      if (!use(value)) break
    }
  } catch (error) {
    return closeAndThrow(from, error)
  }
  const closed = from.close()
  return closed instanceof Promise && closed.then(() => false)
}

async function takeRest<T>(
  from: PullStream<T>,
  first: Promise<T | undefined>,
  use: (value: T) => boolean,
): Promise<boolean> {
  try {
    for (let value = await first; value !== undefined; value = await from.take()) {
      if (use(value)) continue
      await from.close()
      return false
    }
    return true
  } catch (error) {
    return closeAndThrow(from, error)
  }
}

async function closeAndThrow(from: PullStream<unknown>, error: unknown): Promise<never> {
  await from.close()
  throw error
}

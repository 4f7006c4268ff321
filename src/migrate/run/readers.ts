// Units read several at a time, begun in their order. One that breaks off, as when a connection is lost, is read again
// after a while, and from then on one reader fewer is at work: a source that cannot keep up is not pressed further.

/** Tries of a unit: the last begins about a minute after the first. */
const attemptsMax = 6
const firstWaitMs = 1000

export interface ReaderOptions {
  readonly readersMax: number
  /** Whether it may succeed later. */
  isPassing(error: unknown): boolean
  pause(milliseconds: number): Promise<void>
}

/** The first failure ends all, when what is under way has ended. */
export async function readAll<T>(
  work: readonly T[],
  read: (one: T) => Promise<void>,
  { readersMax, isPassing, pause }: ReaderOptions,
): Promise<void> {
  let next = 0
  let readers = readersMax
  let failure: { readonly error: unknown } | undefined
  const patiently = async (one: T) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await read(one)
      } catch (error) {
        if (!isPassing(error) || attempt === attemptsMax || failure !== undefined) throw error
        readers = Math.max(1, readers - 1)
        await pause(firstWaitMs * 2 ** (attempt - 1))
      }
    }
  }
  const reader = async (number: number) => {
    while (next < work.length && failure === undefined && number < readers) {
      try {
        await patiently(work[next++])
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(readersMax, work.length) }, (_, i) => reader(i)))
  if (failure !== undefined) throw failure.error
}

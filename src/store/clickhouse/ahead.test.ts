// Reads by a guess: right ones are answered by what was begun, wrong ones leave nothing behind, and there are never
// so many of them that those who ask whether they are right have to wait.

import { describe, expect, it } from 'vitest'
import { Ahead } from './ahead.js'
import { connectionsMax } from './requests.js'

const never = new AbortController().signal

async function* counted(name: string, log: string[] = [], count = 3) {
  try {
    for (let i = 0; i < count; i++) {
      log.push(`${name}${i}`)
      yield `${name}${i}`
    }
  } finally {
    log.push(`${name} ended`)
  }
}

function withResolvers() {
  let resolve: (value: boolean) => void = () => undefined
  const promise = new Promise<boolean>((yes) => {
    resolve = yes
  })
  return { promise, resolve: (value: boolean) => resolve(value) }
}

async function all<T>(items: AsyncGenerator<T, void, void>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

describe('a guess', () => {
  it('that is right is what is answered', async () => {
    const log: string[] = []
    const read = new Ahead().read(
      never,
      () => counted('guess', log),
      Promise.resolve(true),
      () => counted('found', log),
    )
    expect(await all(read)).toEqual(['guess0', 'guess1', 'guess2'])
    expect(log).not.toContain('found0')
  })

  it('begins before it is known whether it is right, and gives nothing away until then', async () => {
    const log: string[] = []
    const asked = withResolvers()
    const read = new Ahead().read(
      never,
      () => counted('guess', log),
      asked.promise,
      () => counted('found', log),
    )
    const first = read.next()
    expect(log).toEqual(['guess0'])
    asked.resolve(false)
    expect((await first).value).toBe('found0')
    expect(log).toEqual(['guess0', 'guess ended', 'found0'])
    expect(await all(read)).toEqual(['found1', 'found2'])
  })

  it('that is wrong ends what it began, however that fails', async () => {
    let given = never
    const guessed = async function* (signal: AbortSignal): AsyncGenerator<string, void, void> {
      given = signal
      await new Promise((_, no) => signal.addEventListener('abort', () => no(new Error('ended'))))
      yield ''
    }
    const read = new Ahead().read(never, guessed, Promise.resolve(false), () => counted('found'))
    expect(await all(read)).toEqual(['found0', 'found1', 'found2'])
    expect(given.aborted).toBe(true)
  })

  it('that is right fails as its read fails', async () => {
    const guessed = async function* (): AsyncGenerator<string, void, void> {
      yield await Promise.reject(new Error('no server'))
    }
    const read = new Ahead().read(never, guessed, Promise.resolve(true), () => counted('found'))
    await expect(all(read)).rejects.toThrow('no server')
  })

  it('of which it cannot be found out whether it is right fails, and ends what it began', async () => {
    const log: string[] = []
    const unknown = Promise.reject<boolean>(new Error('no catalog'))
    const read = new Ahead().read(
      never,
      () => counted('guess', log),
      unknown,
      () => counted('found', log),
    )
    await expect(all(read)).rejects.toThrow('no catalog')
    expect(log).toEqual(['guess0', 'guess ended'])
  })

  it('ends with whoever asked', async () => {
    const asker = new AbortController()
    let given = never
    const guessed = (signal: AbortSignal) => {
      given = signal
      return counted('guess')
    }
    const read = new Ahead().read(asker.signal, guessed, Promise.resolve(true), () => counted('no'))
    await read.next()
    asker.abort(new Error('gone'))
    expect(given.reason).toEqual(new Error('gone'))
    await read.return()
  })

  it('is not made while many others are under way', async () => {
    const ahead = new Ahead()
    const asked = withResolvers()
    const log: string[] = []
    const reads = Array.from({ length: connectionsMax }, () =>
      ahead.read(
        new AbortController().signal,
        () => counted('guess', log, 1),
        asked.promise,
        () => counted('found', log, 1),
      ),
    )
    const answers = Promise.all(reads.map(all))
    expect(log.length).toBeLessThan(connectionsMax)
    asked.resolve(true)
    await answers
    expect(
      await all(
        ahead.read(
          never,
          () => counted('late'),
          asked.promise,
          () => counted('no'),
        ),
      ),
    ).toContain('late0')
  })
})

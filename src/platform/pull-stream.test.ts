// Pull streams: values in order, to readers of both kinds, with one end, and closed by whoever does not read
// them to it.

import { expect, test } from 'vitest'
import { type MaybePromise, PullStream, streamOf, takeEach } from './pull-stream.js'

/** Numbers from 1 on; those in `late` come later, `bad` does not come at all. */
class Numbers extends PullStream<number> {
  readonly #options: { readonly count: number; readonly late?: number[]; readonly bad?: number }
  #given = 0
  closes = 0

  constructor(options: { count: number; late?: number[]; bad?: number }) {
    super()
    this.#options = options
  }

  take(): MaybePromise<number | undefined> {
    const { count, late, bad } = this.#options
    if (this.#given === count) return undefined
    const value = ++this.#given
    const isLate = late?.includes(value) === true
    if (value === bad && !isLate) throw new Error(`no ${value}`)
    if (value === bad) return Promise.reject(new Error(`no ${value}`))
    return isLate ? Promise.resolve(value) : value
  }

  async close(): Promise<void> {
    this.closes++
  }
}

async function* generated(count: number): AsyncGenerator<number> {
  for (let value = 1; value <= count; value++) yield value
}

test('what is there is given by itself, what is not as a promise', async () => {
  const numbers = new Numbers({ count: 2, late: [2] })
  expect(numbers.take()).toBe(1)
  const second = numbers.take()
  expect(second).toBeInstanceOf(Promise)
  expect(await second).toBe(2)
  expect(numbers.take()).toBeUndefined()
  const usual = streamOf(generated(1))
  expect(await usual.take()).toBe(1)
  expect(await usual.take()).toBeUndefined()
})

test('to others they are async iterators', async () => {
  const seen: number[] = []
  for await (const value of new Numbers({ count: 3, late: [2] })) seen.push(value)
  expect(seen).toEqual([1, 2, 3])
  const left = new Numbers({ count: 3 })
  for await (const _ of left) break
  expect(left.closes).toBe(1)
  await expect(new Numbers({ count: 1, bad: 1 }).next()).rejects.toThrow('no 1')
})

test('everything is used, or the stream is closed', async () => {
  const some = (options: ConstructorParameters<typeof Numbers>[0], last = Infinity) => {
    const numbers = new Numbers(options)
    const seen: number[] = []
    const all = takeEach(numbers, (value) => {
      seen.push(value)
      return value < last
    })
    return { numbers, seen, all }
  }
  const whole = some({ count: 3 })
  expect(whole).toMatchObject({ all: true, seen: [1, 2, 3], numbers: { closes: 0 } })
  for (const late of [[], [1], [2], [1, 2, 3]]) {
    const { numbers, seen, all } = some({ count: 3, late }, 2)
    expect(await all, `${late}`).toBe(false)
    expect([seen, numbers.closes], `${late}`).toEqual([[1, 2], 1])
    expect(await some({ count: 3, late }).all).toBe(true)
    const failed = some({ count: 3, late, bad: 2 })
    await expect(failed.all, `${late}`).rejects.toThrow('no 2')
    expect([failed.seen, failed.numbers.closes], `${late}`).toEqual([[1], 1])
  }
})

test('what fails in whoever uses it closes it too', async () => {
  for (const late of [[], [1]]) {
    const numbers = new Numbers({ count: 2, late })
    const use = () => {
      throw new Error('too much')
    }
    await expect(takeEach(numbers, use)).rejects.toThrow('too much')
    expect(numbers.closes).toBe(1)
  }
})

test('whoever has had enough of a generator ends it as well', async () => {
  const numbers = streamOf(generated(3))
  expect(await numbers.take()).toBe(1)
  await numbers.close()
  expect(await numbers.take()).toBeUndefined()
  expect(await takeEach(streamOf(generated(3)), (value) => value < 2)).toBe(false)
})

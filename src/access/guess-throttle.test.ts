// Guesses of passwords: how many at once, how many over time,
// by whom, and what is not counted.

import { expect, it } from 'vitest'
import { BusyError } from '../errors.js'
import { ManualClock } from '../platform/clock.js'
import { GuessThrottle } from './guess-throttle.js'

const second = 1_000_000_000n

function setUp() {
  const clock = new ManualClock(0n)
  const throttle = new GuessThrottle(clock)
  let checks = 0
  const guess = (password: string, username = 'ada', address = '10.0.0.1') =>
    throttle.check({ username, password, address }, async () => {
      checks++
      return password === 'right' ? 'found' : undefined
    })
  return { clock, throttle, guess, checks: () => checks }
}

it('takes ten wrong ones at once, then one every six seconds', async () => {
  const { clock, guess } = setUp()
  for (let i = 0; i < 10; i++) expect(await guess(`wrong ${i}`)).toBeUndefined()
  await expect(guess('wrong 10')).rejects.toMatchObject({ retryAfterSeconds: 6 })
  // Not even the right one is checked.
  await expect(guess('right')).rejects.toThrow(BusyError)
  clock.set(5n * second)
  await expect(guess('right')).rejects.toMatchObject({ retryAfterSeconds: 1 })
  clock.set(6n * second)
  expect(await guess('right')).toBe('found')
  expect(await guess('right')).toBe('found')
  expect(await guess('wrong 11')).toBeUndefined()
  await expect(guess('wrong 12')).rejects.toThrow(BusyError)
})

it('counts those that are under way, and gives right ones back', async () => {
  const { guess, checks } = setUp()
  const wrong = Array.from({ length: 30 }, (_, i) => guess(`wrong ${i}`))
  const results = await Promise.allSettled(wrong)
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
  expect(checks()).toBe(10)
  const right = Array.from({ length: 30 }, () => guess('right', 'eve'))
  await Promise.allSettled(right)
  for (let i = 0; i < 10; i++) expect(await guess(`wrong ${i}`, 'eve')).toBeUndefined()
})

it('keeps nobody out by what another name or address did', async () => {
  const { guess } = setUp()
  for (let i = 0; i < 10; i++) await guess(`wrong ${i}`)
  await expect(guess('more')).rejects.toThrow(BusyError)
  expect(await guess('right', 'eve')).toBe('found')
  expect(await guess('right', 'ada', '10.0.0.2')).toBe('found')
})

it('refuses what was wrong before without work, until something changes', async () => {
  const { guess, throttle, checks } = setUp()
  for (let i = 0; i < 100; i++) expect(await guess('old password')).toBeUndefined()
  expect(checks()).toBe(1)
  throttle.forget()
  await guess('old password')
  expect(checks()).toBe(2)
})

it('does not count what could not be checked', async () => {
  const throttle = new GuessThrottle(new ManualClock(0n))
  const fail = () =>
    throttle.check({ username: 'ada', password: 'p' }, () => Promise.reject(new Error('no disk')))
  for (let i = 0; i < 30; i++) await expect(fail()).rejects.toThrow('no disk')
})

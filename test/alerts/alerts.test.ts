// From a written point to the message, over HTTP against a running server whose clock is moved: what rules tell, when,
// how often, and what they keep quiet about.

import { afterEach, expect, it } from 'vitest'
import { AlertPlace } from './alert-place.js'

let opened: AlertPlace | undefined

afterEach(() => opened?.close())

async function open(): Promise<AlertPlace> {
  opened = await AlertPlace.open()
  return opened
}

it('tells a change once and at once', async () => {
  const place = await open()
  await place.check()
  await place.rule()
  expect(await place.told(10)).toEqual([])
  expect(await place.told(95)).toEqual(['a is crit at 95'])
  expect(await place.told(96)).toEqual([])
  expect(await place.told(10)).toEqual([])
  expect(await place.told(97)).toEqual(['a is crit at 97'])
  const lines = await place.place.lines('_monitoring')
  const notifications = lines.filter((line) => line.startsWith('notifications'))
  expect(notifications).toHaveLength(2)
  expect(notifications[0]).toContain('_sent=true')
})

// What is remembered of the URLs of queries: as much as is allowed, what is in use, and nothing of what
// carries a name or a password.

import { expect, test } from 'vitest'
import { AskedUrls } from './asked-urls.js'

const url = (text: string, more = '') => `/query?db=d&q=${encodeURIComponent(text)}${more}`

test('the same URL is read once', () => {
  const urls = new AskedUrls()
  const asked = urls.read(url('select v from m', '&epoch=s'), undefined)
  expect(asked).toMatchObject({ text: 'select v from m', database: 'd', format: { time: 's' } })
  expect(urls.read(url('select v from m', '&epoch=s'), undefined)).toBe(asked)
  const csv = urls.read(url('select v from m', '&epoch=s'), 'text/csv')
  expect(csv?.format.encoding).toBe('csv')
  expect(urls.read(url('select v from m', '&epoch=s'), 'text/csv')).toBe(csv)
})

test('what nobody asks for is forgotten, and long ones are not kept', () => {
  const urls = new AskedUrls()
  const first = urls.read(url('select 0 from m'), undefined)
  for (let i = 1; i < 512; i++) urls.read(url(`select ${i} from m`), undefined)
  expect(urls.read(url('select 0 from m'), undefined)).toBe(first)
  for (let i = 512; i < 1024; i++) urls.read(url(`select ${i} from m`), undefined)
  expect(urls.read(url('select 0 from m'), undefined)).not.toBe(first)
  const long = url(`select v from m where ${'x'.repeat(4000)} = 1`)
  expect(urls.read(long, undefined)).not.toBe(urls.read(long, undefined))
})

test('what needs more than a query and a token is not for here', () => {
  const urls = new AskedUrls()
  for (const more of ['&u=a', '&p=b', '&u=a&p=b', '&async=true', '&time_format=x', '&params=x']) {
    expect(urls.read(url('select v from m', more), undefined), more).toBeUndefined()
  }
  expect(urls.read('/query?db=d', undefined)).toBeUndefined()
  expect(urls.read(url('select v from m', '&u=&p='), undefined)).toBeDefined()
})

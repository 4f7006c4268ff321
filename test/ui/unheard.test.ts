// Which series count as not heard of: those whose check should have said something of them since.

import { expect, it } from 'vitest'
import { unheardOf } from '../../ui/src/alerts/unheard.js'

const now = Date.UTC(2026, 0, 1)
const check = (id: string, every?: string, offset?: string) => ({
  ...{ id, status: 'active' as 'active' | 'inactive' },
  ...(every === undefined ? {} : { every }),
  ...(offset === undefined ? {} : { offset }),
})
const status = (checkId: string, secondsAgo: number) => ({
  time: new Date(now - secondsAgo * 1000).toISOString(),
  ...{ checkId, secondsAgo },
})

it('waits for one and a half intervals, and for the offset', () => {
  const checks = [
    check('minute', '1m'),
    check('late', '1m', '30s'),
    check('long', '1h30m'),
    { ...check('off', '1s'), status: 'inactive' as const },
    check('other'),
  ]
  const statuses = [89, 91, 119, 121, 8000, 8200].flatMap((ago) =>
    checks.map(({ id }) => status(id, ago)),
  )
  const found = unheardOf(checks, statuses, now).map(({ afterMs, statuses: these }) => [
    afterMs / 1000,
    these.map(({ checkId, secondsAgo }) => `${checkId} ${secondsAgo}`),
  ])
  expect(found).toEqual([
    [90, ['minute 91', 'minute 119', 'minute 121', 'minute 8000', 'minute 8200']],
    [120, ['late 121', 'late 8000', 'late 8200']],
    [8100, ['long 8200']],
  ])
})

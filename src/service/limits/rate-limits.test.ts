// Limits of an organization's reads, as a route that answers queries meets them: the rate of what
// is sent, how many at once, what changes of the limits do, and that everything is counted.

import { expect, it, onTestFinished } from 'vitest'
import type { OrganizationLimits } from '../../catalog/accounts/limits.js'
import { Catalog } from '../../catalog/catalog.js'
import { BusyError } from '../../errors.js'
import { ManualClock } from '../../platform/clock.js'
import { seededRandom } from '../../platform/random.js'
import { RateLimits } from './rate-limits.js'
import { Usage } from './usage.js'

const second = 1_000_000_000n

async function open() {
  const clock = new ManualClock(1_700_000_000n * second)
  const catalog = await Catalog.open({ path: ':memory:', clock, random: seededRandom(3) })
  onTestFinished(() => catalog.close())
  const { id: orgId } = await catalog.organizations.create({ name: 'o' })
  const usage = new Usage(clock, catalog.usageHours)
  const rates = new RateLimits({ clock, catalog }, usage)
  const limit = (rate: Partial<OrganizationLimits['rate']>) =>
    catalog.limits.change(orgId, { rate })
  return { clock, catalog, orgId, rates, usage, limit }
}

async function refusal(work: () => Promise<unknown>): Promise<BusyError> {
  const error = await work().then(
    () => undefined,
    (reason) => reason,
  )
  expect(error).toBeInstanceOf(BusyError)
  return error
}

it('lets anybody read who has no limit', async () => {
  const { rates, orgId } = await open()
  for (let i = 0; i < 100; i++) (await rates.forRead(orgId)).sent(1e9)
})

it('makes whoever read too much wait until it is paid', async () => {
  const { clock, rates, orgId, limit } = await open()
  await limit({ readKBs: 2 })
  const big = await rates.forRead(orgId)
  // Five minutes' worth is 600 kB; an answer under way is never cut off.
  big.sent(300_000)
  const beside = await rates.forRead(orgId)
  big.sent(340_000)
  big.end()
  beside.end()
  const refused = await refusal(async () => rates.forRead(orgId))
  expect(refused.message).toBe("the organization's read limit of 2 KB per second is exceeded")
  expect(refused.retryAfterSeconds).toBe(21)
  clock.advance(20n * second)
  expect((await refusal(async () => rates.forRead(orgId))).retryAfterSeconds).toBe(1)
  clock.advance(second)
  ;(await rates.forRead(orgId)).end()
  // However long nobody reads, no more than a window's worth is saved.
  clock.advance(86_400n * second)
  const next = await rates.forRead(orgId)
  next.sent(600_000)
  await refusal(async () => rates.forRead(orgId))
  await limit({ readKBs: 0 })
  ;(await rates.forRead(orgId)).end()
})

it('takes only so many reads at once, and each organization for itself', async () => {
  const { catalog, rates, orgId, limit } = await open()
  await limit({ concurrentReadRequests: 2 })
  const [first] = [await rates.forRead(orgId), await rates.forRead(orgId)]
  const refused = await refusal(async () => rates.forRead(orgId))
  expect(refused.message).toBe('more than 2 concurrent reads of the organization')
  const other = await catalog.organizations.create({ name: 'p' })
  for (let i = 0; i < 3; i++) await rates.forRead(other.id)
  first.end()
  await rates.forRead(orgId)
  await refusal(async () => rates.forRead(orgId))
})

it('counts what was read', async () => {
  const { clock, rates, usage, orgId } = await open()
  const reading = await rates.forRead(orgId)
  reading.sent(10)
  reading.sent(5)
  const range = { start: 0n, stop: clock.now() + 1n }
  expect(await usage.rows(orgId, range, false)).toEqual([])
  reading.end()
  const rows = await usage.rows(orgId, range, false)
  expect(rows.map(({ bucketId, field, value }) => [bucketId, field, value])).toEqual([
    ['', 'query_requests', 1],
    ['', 'query_bytes', 15],
  ])
})

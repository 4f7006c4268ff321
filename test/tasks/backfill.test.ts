// Backfills over a catalog, with a clock that is moved by hand: which runs they make and how many at a time, that the
// schedule goes before them, and that they go on after a restart.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { parseTimestamp } from '../../src/catalog/base/timestamps.js'
import type { Backfill, BackfillRequest } from '../../src/catalog/tasks/backfills.js'
import type { Task } from '../../src/catalog/tasks/tasks.js'
import { UserError } from '../../src/errors.js'
import { Place } from './runner-place.js'

const now = '2024-01-02T00:00:30Z'

function span(start: string, stop: string): BackfillRequest {
  return { start: parseTimestamp(start), stop: parseTimestamp(stop) }
}

function backfill(place: Place, task: Task, request: BackfillRequest): Promise<Backfill> {
  return place.catalog.inTransaction(({ tasks }) => tasks.backfills.create(task, request))
}

async function shown(place: Place, { taskId, id }: Backfill): Promise<Backfill> {
  return place.catalog.tasks.backfills.require(taskId, id)
}

it('runs every boundary of the span once, in order, and counts how they ended', async () => {
  const place = await Place.open(now)
  const task = await place.task('a', 'every: 1h, offset: 10m')
  const seen: (bigint | undefined)[] = []
  place.work = ({ run, lastSuccess }) => {
    seen.push(lastSuccess)
    if (run.scheduledFor === '2023-12-31T01:00:00Z') throw new UserError('invalid', 'no such thing')
  }
  const runner = place.runner()
  await place.settle(runner)
  const made = await backfill(place, task, span('2023-12-31T00:00:00Z', '2023-12-31T03:00:01Z'))
  expect(made).toMatchObject({ status: 'running', total: 4, succeeded: 0 })
  await place.settle(runner)
  expect(place.taken()).toEqual(['00', '02', '03'].map((hour) => `a 2023-12-31T${hour}:00:00Z`))
  expect(await shown(place, made)).toMatchObject({
    status: 'done',
    total: 4,
    succeeded: 3,
    failed: 1,
    canceled: 0,
    underWay: 0,
    lastError: 'no such thing',
  })
  // Another one over the same span sees no success that lies in its future.
  seen.length = 0
  await backfill(place, task, span('2023-12-31T00:00:00Z', '2023-12-31T01:00:00Z'))
  await place.settle(runner)
  expect(seen).toEqual([undefined])
  await runner.stop()
})

it('has no more runs waiting than may be under way, and lets those of the schedule go first', async () => {
  const place = await Place.open(now)
  const task = await place.task('a', 'every: 1m, concurrency: 2')
  let free: () => void = () => {}
  const gate = new Promise<void>((resolve) => {
    free = resolve
  })
  const begun: string[] = []
  place.work = async ({ run }) => {
    begun.push(run.scheduledFor)
    await gate
  }
  const runner = place.runner()
  await place.settle(runner)
  const made = await backfill(place, task, span('2023-12-31T00:00:00Z', '2023-12-31T02:00:00Z'))
  await runner.tick()
  expect(await shown(place, made)).toMatchObject({ total: 120, underWay: 2 })
  expect(await place.catalog.tasks.runs.list(task.id)).toHaveLength(2)
  expect(begun).toHaveLength(2)
  place.clock.set(parseTimestamp('2024-01-02T00:01:00Z'))
  await runner.tick()
  expect(begun).toHaveLength(2)
  free()
  await place.settle(runner)
  expect(begun.indexOf('2024-01-02T00:01:00Z')).toBeLessThan(5)
  expect(await shown(place, made)).toMatchObject({ status: 'done', succeeded: 120 })
  await runner.stop()
})

it('rests, goes on, and is called off with its runs', async () => {
  const place = await Place.open(now)
  const task = await place.task('a', 'every: 1m')
  const { catalog } = place
  const runner = place.runner()
  await place.settle(runner)
  const made = await backfill(place, task, span('2023-12-31T00:00:00Z', '2023-12-31T01:00:00Z'))
  const turn = (name: 'pause' | 'cancel') =>
    catalog.inTransaction(({ tasks }) => tasks.backfills[name](task.id, made.id))
  const resume = () => catalog.inTransaction(({ tasks }) => tasks.backfills.resume(task, made.id))
  let count = 0
  place.work = async ({ signal }) => {
    count++
    if (count === 5) await turn('pause')
    if (count === 8) {
      await turn('cancel')
      void runner.tick()
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    }
  }
  await place.settle(runner)
  expect(await shown(place, made)).toMatchObject({ status: 'paused', succeeded: 5, underWay: 0 })
  await expect(backfill(place, task, span('2023-12-30T00:00:00Z', now))).rejects.toThrow(
    'another backfill of the task is under way',
  )
  await expect(turn('pause')).rejects.toThrow('the backfill is paused, not running')
  await resume()
  await place.settle(runner)
  expect(await shown(place, made)).toMatchObject({ status: 'canceled', succeeded: 7, canceled: 1 })
  expect(count).toBe(8)
  await expect(turn('cancel')).rejects.toThrow('the backfill is canceled')
  await runner.stop()
})

it('rests while its task is inactive, and goes with it', async () => {
  const place = await Place.open(now)
  const task = await place.task('a', 'every: 1m')
  const { catalog } = place
  const made = await backfill(place, task, span('2023-12-31T00:00:00Z', '2023-12-31T01:00:00Z'))
  const still = await catalog.inTransaction(({ tasks }) =>
    tasks.update(task.id, { status: 'inactive' }),
  )
  expect(await shown(place, made)).toMatchObject({ status: 'paused' })
  await expect(
    catalog.inTransaction(({ tasks }) => tasks.backfills.resume(still, made.id)),
  ).rejects.toThrow('inactive task')
  await catalog.inTransaction(({ tasks }) => tasks.delete(task.id))
  expect(await catalog.tasks.backfills.list(task.id)).toEqual([])
})

it('goes on after a process has died with a run of it under way', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'backfill-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'catalog.db')
  const before = await Place.open(now, path)
  const task = await before.task('a', 'every: 1h')
  const first = before.runner()
  await before.settle(first)
  const made = await backfill(before, task, span('2023-12-31T00:00:00Z', '2023-12-31T06:00:00Z'))
  before.work = ({ run }) =>
    run.scheduledFor === '2023-12-31T02:00:00Z' ? new Promise(() => {}) : undefined
  void first.tick()
  while (before.done.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(await shown(before, made)).toMatchObject({ succeeded: 2, underWay: 1 })
  // The process is gone: nothing of it ends or is released.
  await before.catalog.close()
  const after = await Place.open(now, path, before)
  const second = after.runner()
  await after.settle(second)
  const hours = ['02', '03', '04', '05'].map((hour) => `a 2023-12-31T${hour}:00:00Z`)
  expect(after.taken()).toEqual(hours)
  expect(await shown(after, made)).toMatchObject({ status: 'done', succeeded: 6 })
  await second.stop()
  await after.catalog.close()
})

it.each([
  ['2023-12-31T01:00:00Z', '2023-12-31T01:00:00Z', {}, 'stop must be later than start'],
  ['2023-12-31T01:00:00Z', '2024-01-03T00:00:00Z', {}, 'stop must not be in the future'],
  ['2023-12-31T01:00:01Z', '2023-12-31T01:00:59Z', {}, 'the task has no run in this span'],
  ['2023-12-01T00:00:00Z', '2023-12-31T00:00:00Z', {}, 'more than 10000 runs of the task'],
  ['1969-12-31T00:00:00Z', '2023-12-31T00:00:00Z', {}, 'start must not be before 1970'],
  ['2023-12-30T00:00:00Z', '2023-12-31T00:00:00Z', { concurrency: 2 }, 'between 1 and 1'],
])('refuses %s to %s %j: %s', async (start, stop, more, message) => {
  const place = await Place.open(now)
  const task = await place.task('a', 'every: 1m')
  const asked = backfill(place, task, { ...span(start, stop), ...more })
  await expect(asked).rejects.toThrow(message)
  expect(await place.catalog.tasks.backfills.list(task.id)).toEqual([])
})

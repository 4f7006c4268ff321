// Kills, jumps of the clock, and several processes over one catalog: no boundary is lost where the task wants all, and
// none is recorded twice as success.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { type TaskRun, wholeSeconds } from '../../src/catalog/tasks/task-runs.js'
import type { TaskWork } from '../../src/tasks/executor.js'
import { leaseNs, type TaskRunner } from '../../src/tasks/task-runner.js'
import { Place } from './runner-place.js'

const never = () => new Promise<never>(() => {})

/** Where in the life of a run the process dies. */
type KillPoint = 'before the work' | 'after the work' | 'before the bucket' | 'after the bucket'

const killPoints: readonly KillPoint[] = [
  'before the work',
  'after the work',
  'before the bucket',
  'after the bucket',
]

/** The bucket of ended runs: a point is named by its task, its end and the moment it began. */
class EndedRuns {
  readonly points = new Map<string, TaskRun>()

  readonly keep = async (runs: readonly TaskRun[]) => {
    for (const run of runs) {
      this.points.set(`${run.taskId} ${run.status} ${run.startedAt}`, run)
    }
  }

  /** How often each boundary is there as success. */
  successes(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { status, scheduledFor } of this.points.values()) {
      if (status === 'success') counts.set(scheduledFor, (counts.get(scheduledFor) ?? 0) + 1)
    }
    return counts
  }
}

/** A runner that dies at the first run that comes to that point: it stays behind as if its process were gone. */
async function killedAt(place: Place, ended: EndedRuns, point: KillPoint): Promise<void> {
  let reached = () => {}
  const death = new Promise<void>((resolve) => {
    reached = resolve
  })
  const die = () => {
    reached()
    return never()
  }
  place.work = point === 'before the work' || point === 'after the work' ? die : () => {}
  const keep = async (runs: readonly TaskRun[]) => {
    if (point === 'before the bucket') await die()
    await ended.keep(runs)
    if (point === 'after the bucket') await die()
  }
  const runner = place.runner({ keep })
  await Promise.race([place.settle(runner), death])
  place.work = () => {}
}

it.each(killPoints)(
  'runs again under the same id what was under way at a kill: %s',
  async (point) => {
    const place = await Place.open('2024-01-01T00:00:30Z')
    const ended = new EndedRuns()
    const task = await place.task('a', 'every: 1m')
    const first = place.runner({ keep: ended.keep })
    await place.settle(first)
    await first.stop()
    place.clock.advance(30_000_000_000n)
    await killedAt(place, ended, point)
    const [before] = await place.catalog.tasks.runs.list(task.id)
    place.clock.advance(5_000_000_000n)
    const second = place.runner({ keep: ended.keep })
    await place.settle(second)
    await second.stop()
    const runs = await place.catalog.tasks.runs.list(task.id)
    expect(runs.map(({ id, status }) => [id, status])).toEqual([[before.id, 'success']])
    expect([...ended.points.values()].map(({ id, status }) => [id, status])).toEqual([
      [before.id, 'success'],
    ])
  },
)

interface Step {
  readonly seconds: number
  readonly kill: KillPoint | undefined
}

const step: fc.Arbitrary<Step> = fc.record({
  // Also backwards, and over more than a lease.
  seconds: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 25 }) },
    { weight: 2, arbitrary: fc.integer({ min: -120, max: 300 }) },
  ),
  kill: fc.option(fc.constantFrom(...killPoints), { nil: undefined, freq: 2 }),
})

it('over any history of kills and jumps each boundary succeeds once, and none is missing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const place = await Place.open('2024-01-01T00:00:00Z')
      const ended = new EndedRuns()
      await place.task('a', 'every: 10s, catchUp: "all"')
      let latest = place.clock.now()
      let runner: TaskRunner | undefined
      for (const { seconds, kill } of steps) {
        place.clock.advance(BigInt(seconds) * 1_000_000_000n)
        if (place.clock.now() > latest) latest = place.clock.now()
        if (kill !== undefined) {
          await killedAt(place, ended, kill)
          runner = undefined
          continue
        }
        runner ??= place.runner({ keep: ended.keep })
        await place.settle(runner)
      }
      place.clock.set(latest + 60_000_000_000n)
      runner = place.runner({ keep: ended.keep })
      await place.settle(runner)
      await runner.stop()
      const expected = new Map<string, number>()
      const tenSeconds = 10_000_000_000n
      const start = 1_704_067_200_000_000_000n + tenSeconds
      for (let at = start; at <= place.clock.now(); at += tenSeconds) {
        expected.set(wholeSeconds(at), 1)
      }
      expect(ended.successes()).toEqual(expected)
      await place.catalog.close()
    }),
    { numRuns: 40 },
  )
}, 300_000)

async function twoPlaces(): Promise<[Place, Place]> {
  const folder = mkdtempSync(`${tmpdir()}/millrace-tasks-`)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = `${folder}/catalog.sqlite`
  const one = await Place.open('2024-01-01T00:00:00Z', path)
  const two = await Place.open('2024-01-01T00:00:00Z', path, one)
  return [one, two]
}

it('makes and claims each run once, whichever of two processes comes first', async () => {
  const [one, two] = await twoPlaces()
  const tasks = []
  for (let i = 0; i < 20; i++) tasks.push(await one.task(`t${i}`, 'every: 10s'))
  const boundary = one.clock.now() + 10_000_000_000n
  one.clock.set(boundary)
  const upTo = tasks.map(({ id: taskId }) => ({ taskId, boundary }))
  const due = tasks.map(({ id, orgId }) => ({
    task: { id, orgId, kind: 'task' as const },
    boundary,
    dueAt: boundary,
  }))
  const made: number[] = []
  const runnerIds: string[] = []
  for (const { catalog } of [one, two]) {
    const id = await catalog.tasks.queue.join(leaseNs)
    runnerIds.push(id)
    made.push(
      await catalog.inTransaction(async (inside) => {
        expect(await inside.tasks.queue.renew(id, leaseNs)).toBe(true)
        return (await inside.tasks.queue.schedule(due, upTo)).length
      }),
    )
  }
  expect(made).toEqual([20, 0])
  const claimed: string[] = []
  for (let round = 0; round < 4; round++) {
    const { queue } = [one, two][round % 2].catalog.tasks
    const runs = await queue.claim(runnerIds[round % 2], { limit: 6, busyTasks: [] })
    expect(runs.length).toBe(round < 3 ? 6 : 2)
    claimed.push(...runs.map(({ id }) => id))
  }
  expect(new Set(claimed).size).toBe(20)
})

it('shares the runs of one catalog among runners', async () => {
  const place = await Place.open('2024-01-01T00:00:00Z')
  for (let i = 0; i < 100; i++) await place.task(`t${i}`, 'every: 10s')
  const by: string[][] = [[], []]
  const runners = by.map((list) => {
    const executor = {
      run: async ({ task, run }: TaskWork) => {
        await new Promise((resolve) => setTimeout(resolve, 1))
        list.push(`${task.name} ${run.scheduledFor}`)
        return { rowsRead: 0, rowsWritten: 0 }
      },
    }
    const executors = { ...place.executors, task: executor }
    return place.runner({ isAlone: false, executors })
  })
  for (const runner of runners) await runner.tick()
  for (let round = 0; round < 3; round++) {
    place.clock.advance(10_000_000_000n)
    await Promise.all(runners.map((runner) => place.settle(runner)))
  }
  for (const runner of runners) await runner.stop()
  expect(by.flat()).toHaveLength(300)
  expect(new Set(by.flat()).size).toBe(300)
  expect(by.every((list) => list.length > 0)).toBe(true)
})

it('takes over what a process has claimed once its lease is over, and not before', async () => {
  const [one, two] = await twoPlaces()
  const task = await one.task('a', 'every: 10s')
  await two.catalog.refresh()
  let isBegun = false
  one.work = () => {
    isBegun = true
    return never()
  }
  const dead = one.runner({ isAlone: false })
  const alive = two.runner({ isAlone: false })
  await dead.tick()
  await alive.tick()
  one.clock.advance(10_000_000_000n)
  await dead.tick()
  while (!isBegun) await new Promise((resolve) => setTimeout(resolve, 5))
  await two.settle(alive)
  expect(two.done).toEqual([])
  // The other beats within its lease; the dead one does not.
  one.clock.advance(leaseNs - 5_000_000_000n)
  await alive.tick()
  one.clock.advance(10_000_000_000n)
  await two.settle(alive)
  const moments = two.done.map(({ at }) => at)
  expect(moments.slice(0, 2)).toEqual(['2024-01-01T00:00:10Z', '2024-01-01T00:00:20Z'])
  const runs = await two.catalog.tasks.runs.list(task.id)
  expect(runs.every(({ status }) => status === 'success')).toBe(true)
  expect(new Set(runs.map(({ scheduledFor }) => scheduledFor)).size).toBe(runs.length)
  await alive.stop()
})

it('drops what a process ends after it has lost its lease', async () => {
  const [one, two] = await twoPlaces()
  const task = await one.task('a', 'every: 1h')
  await two.catalog.refresh()
  let end = () => {}
  let begun: TaskWork | undefined
  one.work = (work) => {
    begun = work
    return new Promise<void>((resolve) => {
      end = resolve
    })
  }
  const slow = one.runner({ isAlone: false })
  await slow.tick()
  one.clock.advance(3_600_000_000_000n)
  // A whole hour without a beat: the first look gets a new lease, the second schedules.
  await slow.tick()
  await slow.tick()
  while (begun === undefined) await new Promise((resolve) => setTimeout(resolve, 5))
  one.clock.advance(leaseNs + 1n)
  const other = two.runner({ isAlone: false })
  await two.settle(other)
  end()
  await new Promise((resolve) => setTimeout(resolve, 100))
  const runs = await two.catalog.tasks.runs.list(task.id)
  const successes = runs.filter(({ status }) => status === 'success')
  expect(successes.length).toBe(runs.length)
  expect([...one.kept, ...two.kept].length).toBe(runs.length)
  await other.stop()
})

it('runs ten thousand tasks of one second, each once', async () => {
  const place = await Place.open('2024-01-01T00:00:30Z')
  await place.catalog.inTransaction(async (inside) => {
    for (let i = 0; i < 10_000; i++) {
      const flux = `option task = {name: "t${i}", every: 1m}\nx = 1`
      await inside.tasks.create(place.orgId, place.ownerId, { flux })
    }
  })
  const runner = place.runner({ concurrentMax: 16 })
  await place.settle(runner)
  await place.at(runner, '2024-01-01T00:01:00Z')
  expect(place.logged).toEqual([])
  expect(new Set(place.done.map(({ name }) => name)).size).toBe(10_000)
  expect(place.done).toHaveLength(10_000)
  expect(place.kept).toHaveLength(10_000)
  await runner.stop()
}, 300_000)

it('keeps to the concurrency of a task, in the order of its moments', async () => {
  const place = await Place.open('2024-01-01T00:00:00Z')
  await place.task('one', 'every: 1s')
  await place.task('three', 'every: 1s, concurrency: 3')
  const under = new Map<string, number>()
  const most = new Map<string, number>()
  place.work = async ({ task: { name } }) => {
    const count = (under.get(name) ?? 0) + 1
    under.set(name, count)
    most.set(name, Math.max(most.get(name) ?? 0, count))
    await new Promise((resolve) => setTimeout(resolve, 5))
    under.set(name, (under.get(name) ?? 0) - 1)
  }
  const runner = place.runner({ concurrentMax: 8 })
  await place.settle(runner)
  await place.at(runner, '2024-01-01T00:00:20Z')
  expect(most.get('one')).toBe(1)
  expect(most.get('three')).toBeGreaterThan(1)
  expect(most.get('three')).toBeLessThanOrEqual(3)
  const ofOne = place.done.filter(({ name }) => name === 'one').map(({ at }) => at)
  expect(ofOne).toEqual([...ofOne].sort())
  expect(ofOne).toHaveLength(20)
  await runner.stop()
})

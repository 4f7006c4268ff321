// The runner over a catalog, with a clock that is moved by hand: which runs there are, in which order, how they end,
// and what is made up for.

import { expect, it } from 'vitest'
import { BusyError, UserError } from '../../src/errors.js'
import { Place } from './runner-place.js'

it('runs each boundary once, at its time and not before', async () => {
  const place = await Place.open('2024-01-01T00:00:30Z')
  const task = await place.task('a', 'every: 1m, offset: 10s')
  const runner = place.runner()
  await place.settle(runner)
  await place.at(runner, '2024-01-01T00:01:09Z')
  expect(place.taken()).toEqual([])
  await place.at(runner, '2024-01-01T00:01:10Z')
  expect(place.taken()).toEqual(['a 2024-01-01T00:01:00Z'])
  await place.settle(runner)
  expect(place.taken()).toEqual([])
  const state = await place.catalog.tasks.states.of(task.id)
  expect(state).toMatchObject({
    latestScheduled: '2024-01-01T00:01:00Z',
    latestCompleted: '2024-01-01T00:01:00Z',
    latestSuccess: '2024-01-01T00:01:00Z',
    lastRunStatus: 'success',
  })
  const [run] = await place.catalog.tasks.runs.list(task.id)
  expect(run).toMatchObject({
    status: 'success',
    startedAt: '2024-01-01T00:01:10.000000000Z',
    attempt: 1,
    rowsRead: 1,
    rowsWritten: 2,
  })
  expect(run.log.map(({ message }) => message)).toEqual([
    `Started task from script: ${JSON.stringify(task.body.flux)}`,
    'Completed(success)',
  ])
  expect(place.kept).toEqual([`${run.id} success`])
  await runner.stop()
})

it('begins checks before rules, and a rule only when the checks of its moment have ended', async () => {
  const place = await Place.open('2024-01-01T00:00:30Z')
  const { catalog, orgId } = place
  const order: string[] = []
  let endCheck = () => {}
  place.work = ({ run }) => {
    order.push(run.kind)
    if (run.kind !== 'check') return
    return new Promise<void>((resolve) => {
      endCheck = resolve
    })
  }
  // Rules first into the catalog: their order must not matter.
  for (const kind of ['rule', 'check', 'task'] as const) {
    const { id } = await place.task(kind, 'every: 1m')
    await catalog.inTransaction(async ({ tasks }) => {
      await tasks.runs.schedule({ id, orgId, kind }, place.clock.now())
    })
  }
  const runner = place.runner()
  await runner.tick()
  await new Promise((resolve) => setTimeout(resolve, 60))
  await runner.tick()
  expect(order).toEqual(['task', 'check'])
  endCheck()
  await place.settle(runner)
  expect(order).toEqual(['task', 'check', 'rule'])
  await runner.stop()
})

it('fails with the error itself, and says so', async () => {
  const place = await Place.open('2024-01-01T00:00:30Z')
  const task = await place.task('a', 'every: 1m')
  place.work = () => {
    throw new UserError('not found', 'could not find bucket "b"')
  }
  const runner = place.runner()
  await place.settle(runner)
  await place.at(runner, '2024-01-01T00:01:00Z')
  const state = await place.catalog.tasks.states.of(task.id)
  expect(state).toMatchObject({
    lastRunStatus: 'failed',
    lastRunError: 'could not find bucket "b"',
    latestFailure: '2024-01-01T00:01:00Z',
    latestSuccess: undefined,
  })
  const [run] = await place.catalog.tasks.runs.list(task.id)
  const failure = 'error exhausting result iterator: could not find bucket "b"'
  expect(run.log.slice(1).map(({ message }) => message)).toEqual([
    'Completed(failed)',
    failure,
    `Task encountered unrecoverable error, requires admin action: ${failure}`,
  ])
  place.work = () => {}
  await place.at(runner, '2024-01-01T00:02:00Z')
  const after = await place.catalog.tasks.states.of(task.id)
  expect(after).toMatchObject({ lastRunStatus: 'success', lastRunError: undefined })
  await runner.stop()
})

it('tries again what may pass, as often as the task says, further and further apart', async () => {
  const place = await Place.open('2024-01-01T00:00:30Z')
  const task = await place.task('a', 'every: 1h, retry: 3')
  const attempts: number[] = []
  place.work = ({ attempt }) => {
    attempts.push(attempt)
    if (attempt < 3) throw new BusyError('too much to do')
  }
  const runner = place.runner()
  await place.settle(runner)
  await place.at(runner, '2024-01-01T01:00:00Z')
  expect(attempts).toEqual([1])
  await place.at(runner, '2024-01-01T01:00:01Z')
  expect(attempts).toEqual([1, 2])
  await place.at(runner, '2024-01-01T01:00:02Z')
  expect(attempts).toEqual([1, 2])
  await place.at(runner, '2024-01-01T01:00:03Z')
  expect(attempts).toEqual([1, 2, 3])
  const runs = await place.catalog.tasks.runs.list(task.id)
  expect(runs.map(({ status, attempt }) => [status, attempt])).toEqual([['success', 3]])
  place.work = () => {
    throw new BusyError('too much to do')
  }
  for (const second of ['00', '01', '03']) await place.at(runner, `2024-01-01T02:00:${second}Z`)
  const [failed] = await place.catalog.tasks.runs.list(task.id)
  expect(failed.status).toBe('failed')
  expect(failed.log.at(-1)?.message).toBe('could not execute task run: too much to do')
  await runner.stop()
})

it('says of a run that waits for others of its task how many are in front', async () => {
  const place = await Place.open('2024-01-01T00:00:00Z')
  const task = await place.task('slow', 'every: 10s')
  const ends: (() => void)[] = []
  place.work = () => new Promise<void>((resolve) => ends.push(resolve))
  const runner = place.runner()
  await runner.tick()
  for (let i = 0; i < 3; i++) {
    place.clock.advance(10_000_000_000n)
    await runner.tick()
    await runner.tick()
  }
  const front = (run: { log: readonly { message: string }[] }) =>
    run.log.flatMap(({ message }) => /^Task limit reached: .*: (\d+)$/.exec(message)?.[1] ?? [])
  const runs = await place.catalog.tasks.runs.list(task.id)
  expect(runs.reverse().map(front)).toEqual([[], ['1'], ['2']])
  place.work = () => {}
  for (const end of ends) end()
  await place.settle(runner)
  const [, second] = (await place.catalog.tasks.runs.list(task.id)).reverse()
  const messages = second.log.map(({ message }) => message.replace(/".*/, ''))
  expect(messages).toEqual([
    'Task limit reached: could not execute task, concurrency limit reached, runs in front: 1',
    'Started task from script: ',
    'Completed(success)',
  ])
  await runner.stop()
})

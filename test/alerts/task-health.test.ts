// How tasks are doing, from a run that fails to the message: statuses of tasks, rules that ask for them, the end of a
// failure also after a restart, and tasks whose runs do not come to their end.

import { expect, it, onTestFinished, vi } from 'vitest'
import { formatTimestamp } from '../../src/catalog/base/timestamps.js'
import { TaskHealth } from '../../src/tasks/task-health.js'
import { send } from '../api/client.js'
import { Place } from '../tasks/runner-place.js'
import { AlertPlace } from './alert-place.js'

async function open(options: Parameters<typeof AlertPlace.open>[0] = {}): Promise<AlertPlace> {
  const place = await AlertPlace.open(options)
  onTestFinished(() => place.close())
  return place
}

const ofTasks = { tagRules: [{ key: '_type', value: 'task', operator: 'equal' }] }
const script = (bucket: string) => `option task = {name: "copy", every: 10s}
from(bucket: "${bucket}") |> range(start: -1m) |> to(bucket: "b")`

it('tells rules that ask for it when a task fails, and when it is well again', async () => {
  const place = await open()
  const { id: taskId } = (await place.call('POST', '/api/v2/tasks', { flux: script('none') })).json
  await place.rule({ ...ofTasks, sendResolved: true })
  // One that does not ask for tasks means checks.
  await place.rule({ statusRules: [{ currentLevel: 'CRIT' }] })
  const told: string[] = []
  const step = async () => {
    await place.next()
    const boundary = formatTimestamp(place.clock.now()).slice(0, 19)
    await vi.waitFor(
      async () => {
        const { json } = await place.call('GET', `/api/v2/tasks/${taskId}`)
        expect(json.latestCompleted.slice(0, 19)).toBe(boundary)
      },
      { timeout: 20_000, interval: 50 },
    )
    told.push(...place.taken().map(({ json }) => `${json._level} ${json._message}`))
  }
  // The run of a moment ends after it: a rule of the next one sees its status.
  await step()
  await step()
  await step()
  const error = 'failed to initialize execute state: could not find bucket "none"'
  expect(told).toEqual([`crit the run of task "copy" for 2026-03-02T10:00:10Z failed: ${error}`])
  const { text } = await send(`${place.place.url}/metrics`)
  expect(text).toContain('millrace_tasks_unwell 1')
  await place.call('PATCH', `/api/v2/tasks/${taskId}`, { flux: script('b') })
  await step()
  await step()
  expect(told.slice(1)).toEqual(['ok the run of task "copy" for 2026-03-02T10:00:40Z succeeded'])
  const lines = await place.place.lines('_monitoring')
  const statuses = lines.filter((line) => line.startsWith('statuses,'))
  // Every failure, and one end.
  expect(statuses.map((line) => /_level=(\w+)/.exec(line)?.[1]).sort()).toEqual([
    'crit',
    'crit',
    'crit',
    'ok',
  ])
  const tags = `_check_id=${taskId},_check_name=copy,_level=ok,_source_measurement=runs,_type=task`
  expect(statuses.find((line) => line.includes('_level=ok'))).toContain(`statuses,${tags} `)
  expect((await send(`${place.place.url}/metrics`)).text).toContain('millrace_tasks_unwell 0')
})

it('knows after a restart what it has told', async () => {
  const written: string[] = []
  const place = await Place.open('2024-01-01T00:00:00Z')
  await place.task('t', 'every: 10s')
  const told = new Map<string, string>()
  const run = async (isFailing: boolean) => {
    const health = new TaskHealth({
      catalog: place.catalog,
      clock: place.clock,
      write: async (_orgId, lines) => {
        written.push(...lines)
        for (const line of lines) {
          const [, id = '', level = ''] = /_check_id=(\w+),.*_level=(\w+)/.exec(line) ?? []
          told.set(id, level)
        }
      },
      lastLevels: async () => told,
      log: () => {},
    })
    place.work = () => {
      if (isFailing) throw new Error('no')
    }
    const runner = place.runner({ keep: (runs) => health.ended(runs) })
    place.clock.advance(10_000_000_000n)
    await place.settle(runner)
    await runner.stop()
  }
  await run(true)
  await run(false)
  await run(false)
  expect(written.map((line) => /_level=(\w+)/.exec(line)?.[1])).toEqual(['crit', 'ok'])
})

it('tells of a task whose runs do not come to their end, and only of that', async () => {
  const place = await Place.open('2024-01-01T00:00:00Z')
  const stuck = await place.task('stuck', 'every: 1m')
  const well = await place.task('well', 'every: 1m')
  await place.task('seldom', 'every: 1d')
  const written: string[] = []
  const health = new TaskHealth({
    catalog: place.catalog,
    clock: place.clock,
    write: async (_orgId, lines) => {
      written.push(...lines)
    },
    lastLevels: async () => new Map(),
    log: () => {},
  })
  let end = () => {}
  place.work = ({ task }) => {
    if (task.id !== stuck.id) return
    return new Promise<void>((resolve) => {
      end = resolve
    })
  }
  const runner = place.runner({ keep: (runs) => health.ended(runs) })
  await runner.tick()
  const minute = async () => {
    place.clock.advance(60_000_000_000n)
    await runner.tick()
    const now = formatTimestamp(place.clock.now()).slice(0, 19)
    await vi.waitFor(async () => {
      const { latestCompleted = '' } = await place.catalog.tasks.states.of(well.id)
      expect(latestCompleted.slice(0, 19)).toBe(now)
    })
    await health.look(runner.tasks())
  }
  await minute()
  await minute()
  expect(written).toEqual([])
  await minute()
  expect(written).toHaveLength(1)
  expect(written[0]).toContain(`_check_id=${stuck.id},_check_name=stuck,_level=crit`)
  expect(written[0]).toContain('no run of task \\"stuck\\" has come to its end')
  expect(written[0]).toContain(' 1704067380000000000')
  expect(health.metrics()).toContain('millrace_tasks_overdue 1')
  // The same look in another process writes the same point.
  await health.look(runner.tasks())
  expect(new Set(written).size).toBe(1)
  place.work = () => {}
  end()
  await place.settle(runner)
  expect(written.at(-1)).toContain('_level=ok')
  expect(health.metrics()).toContain('millrace_tasks_overdue 0')
  await runner.stop()
})

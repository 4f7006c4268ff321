// The text corpus of tasks: which moments follow from cron expressions and intervals, in zones, and which runs follow
// from a schedule, a start, a restart and a clock that jumps.

import { it } from 'vitest'
import { parseTimestamp } from '../../src/catalog/base/timestamps.js'
import { wholeSeconds } from '../../src/catalog/tasks/task-runs.js'
import { scheduleOf } from '../../src/catalog/tasks/task-schedule.js'
import type { TaskRunner } from '../../src/tasks/task-runner.js'
import { type DataDrivenCase, dataDrivenFiles, runDataDriven } from '../datadriven.js'
import { Place } from './runner-place.js'

it.each(dataDrivenFiles('test/corpus/tasks'))('%s', (path) => runDataDriven(path, handle))

function handle(c: DataDrivenCase): Promise<string> | string {
  switch (c.command) {
    case 'cron':
      return moments(c, { cron: c.input })
    case 'every':
      return moments(c, { every: c.input })
    case 'history':
      return history(c)
    default:
      throw new Error(`unknown command ${c.command}`)
  }
}

function argument({ args }: DataDrivenCase, name: string): string | undefined {
  return args.get(name)?.[0]
}

function moments(c: DataDrivenCase, options: { cron?: string; every?: string }): string {
  const zone = argument(c, 'zone')
  const found: string[] = []
  try {
    const schedule = scheduleOf({ ...options, zone })
    let at: bigint | undefined = parseTimestamp(argument(c, 'after') ?? '2024-01-01T00:00:00Z')
    for (let i = 0; i < Number(argument(c, 'count') ?? 3); i++) {
      at = at === undefined ? undefined : schedule.next(at)
      found.push(at === undefined ? 'never' : wholeSeconds(at))
      if (at === undefined) break
    }
  } catch (error) {
    return (error as Error).message
  }
  return found.join('\n')
}

/** Lines of a history: `at TIME` looks at the clock, `stop`, `kill` and `start` do so to the process. */
async function history(c: DataDrivenCase): Promise<string> {
  const place = await Place.open(argument(c, 'made') ?? '2024-01-01T00:00:00Z')
  const task = await place.task('t', argument(c, 'task') ?? '')
  const lines: string[] = []
  let runner: TaskRunner | undefined = place.runner()
  await place.settle(runner)
  for (const line of c.input.split('\n')) {
    const [what, time] = line.split(' ')
    if (what === 'stop') await runner?.stop()
    if (what === 'stop' || what === 'kill') runner = undefined
    if (time !== undefined) place.clock.set(parseTimestamp(time))
    if (what === 'start') runner = place.runner()
    if (what === 'inactive' || what === 'active') {
      const change = { status: what }
      await place.catalog.inTransaction(({ tasks }) => tasks.update(task.id, change))
    }
    if (runner !== undefined) await place.settle(runner)
    const runs = place.taken().map((run) => run.slice('t '.length))
    const skipped = place.logged
      .splice(0)
      .flatMap((said) => /skipped.*"count":(\d+)/.exec(said)?.[1] ?? [])
    const told = skipped.map((count) => `skipped ${count}`)
    lines.push(`${line}: ${[...runs, ...told].join(', ') || 'nothing'}`)
  }
  await runner?.stop()
  return lines.join('\n')
}

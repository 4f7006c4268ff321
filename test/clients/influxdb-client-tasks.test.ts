// The official client's TasksAPI, unmodified, against a running server: tasks are made, run, watched, stopped and
// changed, as programs that use it do.

import { InfluxDB } from '@influxdata/influxdb-client'
import { type Run, SetupAPI, TasksAPI } from '@influxdata/influxdb-client-apis'
import { expect, it } from 'vitest'
import { start } from '../api/harness.js'

async function setUp() {
  const { url } = await start()
  const body = { username: 'u', password: 'a-long-password', org: 'home', bucket: 'b' }
  const made = await new SetupAPI(new InfluxDB({ url, timeout: 60_000 })).postSetup({ body })
  const client = new InfluxDB({ url, timeout: 60_000, token: made.auth?.token ?? '' })
  return { client, tasks: new TasksAPI(client), orgID: made.org?.id ?? '' }
}

const script = `import "array"
option task = {name: "copy", every: 1h, offset: 5m}
array.from(rows: [{_time: now(), _measurement: "m", _field: "f", _value: 1.0}]) |> to(bucket: "b")`

it('drives tasks and their runs', async () => {
  const { client, tasks, orgID } = await setUp()
  const task = await tasks.postTasks({ body: { orgID, flux: script } })
  const taskID = task.id
  expect(task).toMatchObject({ name: 'copy', every: '1h', offset: '5m', status: 'active' })
  expect(task.latestCompleted).toBeDefined()

  const scheduledFor = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000).toISOString()
  // The client's type for the moment is a Date in some releases and a text in others: a text is sent.
  const asked = await tasks.postTasksIDRuns({ taskID, body: { scheduledFor } as never })
  const runID = asked.id ?? ''
  let run: Run = asked
  while (run.status === 'scheduled' || run.status === 'started') {
    await new Promise((resolve) => setTimeout(resolve, 20))
    run = await tasks.getTasksIDRunsID({ taskID, runID })
  }
  expect(run).toMatchObject({ id: runID, taskID, status: 'success' })
  const { runs } = await tasks.getTasksIDRuns({ taskID })
  expect(runs?.map(({ id }) => id)).toEqual([runID])
  const logs = await tasks.getTasksIDRunsIDLogs({ taskID, runID })
  expect(logs.events?.at(-1)?.message).toBe('Completed(success)')
  expect((await tasks.getTasksIDLogs({ taskID })).events?.length).toBe(2)
  expect((await tasks.getTasksID({ taskID })).lastRunStatus).toBe('success')
  const again = await tasks.postTasksIDRunsIDRetry({ taskID, runID, body: '' })
  expect(again.scheduledFor).toBe(run.scheduledFor)

  const rows = await client
    .getQueryApi('home')
    .collectRows<{ _time: string }>('from(bucket: "b") |> range(start: -2d)')
  expect(rows.map(({ _time }) => Date.parse(_time))).toEqual([Date.parse(scheduledFor)])

  const changed = await tasks.patchTasksID({ taskID, body: { every: '2h', status: 'inactive' } })
  expect(changed).toMatchObject({ every: '2h', status: 'inactive' })
  await expect(tasks.postTasksIDRuns({ taskID, body: {} })).rejects.toMatchObject({
    statusCode: 400,
  })
  await tasks.deleteTasksID({ taskID })
  await expect(tasks.getTasksID({ taskID })).rejects.toMatchObject({ statusCode: 404 })
})

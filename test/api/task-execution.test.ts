// Tasks that run for real, over HTTP: what they write, with whose rights, what is told of their runs, how they are
// stopped, and what of them is found in the bucket `_tasks`.

import { expect, it } from 'vitest'
import { type Answer, caller, type Installation, install, send } from './harness.js'

const path = '/api/v2/tasks'

type Call = ReturnType<typeof caller>

interface RunJson {
  readonly id: string
  readonly status: string
  readonly scheduledFor: string
  readonly startedAt: string
  readonly finishedAt: string
  readonly log: readonly { readonly message: string }[]
  readonly links: { readonly self: string; readonly retry: string; readonly logs: string }
}

/** Imports stand before everything else. */
function withOptions(script: string, options = 'every: 1h'): string {
  const imports = /^(?:import .*\n)*/.exec(script)?.[0] ?? ''
  return `${imports}option task = {name: "t", ${options}}\n${script.slice(imports.length)}`
}

async function make(call: Call, script: string, options = 'every: 1h'): Promise<Answer['json']> {
  const made = await call('POST', path, { flux: withOptions(script, options) })
  expect(made.json).toMatchObject({ name: 't' })
  return made.json
}

/** Asks for a run and waits for its end. */
async function runOnce(call: Call, id: string, scheduledFor?: string): Promise<RunJson> {
  const asked = await call('POST', `${path}/${id}/runs`, { scheduledFor })
  expect(asked.status).toBe(201)
  return ended(call, asked.json.links.self)
}

async function ended(call: Call, self: string): Promise<RunJson> {
  for (;;) {
    const { json } = await call('GET', self)
    if (json.status !== 'scheduled' && json.status !== 'started') return json
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const downsample = `import "array"
array.from(rows: [{_time: now(), _measurement: "m", _field: "f", _value: 1.0}]) |> to(bucket: "b")`

it('runs with now() at the moment that it is for, and writes', async () => {
  const place = await install()
  const call = caller(place)
  const { id, latestCompleted } = await make(call, downsample)
  expect(latestCompleted).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  const run = await runOnce(call, id, '2024-01-01T00:00:00Z')
  expect(run).toMatchObject({ status: 'success', scheduledFor: '2024-01-01T00:00:00Z', taskID: id })
  expect(await place.lines()).toEqual(['m f=1 1704067200000000000'])
  const messages = run.log.map(({ message }) => message)
  expect(messages.at(-1)).toBe('Completed(success)')
  expect(messages[0]).toMatch(/^Started task from script: "import /)
  const task = (await call('GET', `${path}/${id}`)).json
  expect(task).toMatchObject({ lastRunStatus: 'success', latestCompleted })
  expect(task).not.toHaveProperty('lastRunError')
  const [line] = await place.lines('_tasks')
  expect(line).toMatch(new RegExp(`^runs,status=success,taskID=${id} `))
  for (const field of [
    `runID="${run.id}"`,
    'name="t"',
    'rowsWritten=1i',
    'attempt=1i',
    'error=""',
  ]) {
    expect(line).toContain(field)
  }
})

it('shows ended runs from the bucket once the catalog has let them go', async () => {
  const place = await install()
  const call = caller(place)
  const { id } = await make(call, downsample)
  const made: RunJson[] = []
  for (let i = 0; i < 24; i++) {
    made.push(await runOnce(call, id, `2024-01-01T00:00:${String(i + 10)}Z`))
  }
  const known = await place.server.catalog.tasks.runs.list(id)
  expect(known.length).toBeLessThan(24)
  const { runs } = (await call('GET', `${path}/${id}/runs`)).json
  expect(runs.map((run: RunJson) => run.id)).toEqual(made.map((run) => run.id).reverse())
  const first = (await call('GET', made[0].links.self)).json
  expect(first).toEqual(made[0])
  const logs = (await call('GET', made[0].links.logs)).json.events
  expect(logs.map((event: { message: string }) => event.message).at(-1)).toBe('Completed(success)')
  const range = 'afterTime=2024-01-01T00:00:11Z&beforeTime=2024-01-01T00:00:14Z'
  const some = (await call('GET', `${path}/${id}/runs?${range}`)).json.runs
  expect(some.map((run: RunJson) => run.scheduledFor.slice(17))).toEqual(['13Z', '12Z'])
  const again = await call('POST', made[0].links.retry, {})
  expect(again.json).toMatchObject({ scheduledFor: made[0].scheduledFor })
  expect((await ended(call, again.json.links.self)).status).toBe('success')
})

it('tells the real error', async () => {
  const call = caller(await install())
  const { id } = await make(call, 'from(bucket: "none") |> range(start: -1h)')
  const run = await runOnce(call, id)
  expect(run.status).toBe('failed')
  const { lastRunStatus, lastRunError } = (await call('GET', `${path}/${id}`)).json
  expect(lastRunStatus).toBe('failed')
  expect(lastRunError).toContain('could not find bucket "none"')
  const messages = run.log.map(({ message }) => message)
  expect(messages.slice(1, 3)).toEqual([
    'Completed(failed)',
    `error exhausting result iterator: ${lastRunError}`,
  ])
  expect(messages[3]).toContain('requires admin action')
  // What is wrong with a script before anything of it runs, and shows only with its parameters.
  const script = 'from(bucket: "b") |> range(start: -1h) |> limit(n: params.count)'
  const body = { name: 's', description: '', script, language: 'flux' }
  const scriptID = (await call('POST', '/api/v2/scripts', body)).json.id
  const invoked = { scriptID, name: 'v', every: '1h', scriptParameters: { count: 'a' } }
  const mistyped = (await call('POST', path, invoked)).json
  const refused = await runOnce(call, mistyped.id)
  expect(refused.log[2].message).toMatch(/^unexpected error from queryd: compilation failed: /)
})

it('stops the query of a run that is called off, and of a task that is deleted', async () => {
  const place = await install()
  const call = caller(place)
  const endless = `import "generate"
generate.from(count: 1000000000, fn: (n) => n, start: 2020-01-01T00:00:00Z, stop: 2021-01-01T00:00:00Z)
  |> map(fn: (r) => ({r with x: r._value * 2})) |> sum()`
  const { id } = await make(call, endless)
  const asked = (await call('POST', `${path}/${id}/runs`)).json
  const isStarted = async () => (await call('GET', asked.links.self)).json.status === 'started'
  while (!(await isStarted())) await new Promise((resolve) => setTimeout(resolve, 5))
  expect((await call('DELETE', asked.links.self)).status).toBe(204)
  const run = await ended(call, asked.links.self)
  expect(run.status).toBe('canceled')
  expect(run.log.at(-1)?.message).toBe('Run canceled')
  expect((await call('GET', `${path}/${id}`)).json.lastRunStatus).toBe('canceled')
  const again = (await call('POST', `${path}/${id}/runs`)).json
  const underWay = async () => {
    const show = `${place.url}/query?q=${encodeURIComponent('SHOW QUERIES')}`
    return (await send(show, { token: place.token })).text.includes('generate.from')
  }
  await expect.poll(underWay, { timeout: 10_000 }).toBe(true)
  expect((await call('DELETE', `${path}/${id}`)).status).toBe(204)
  await expect.poll(underWay, { timeout: 10_000 }).toBe(false)
  expect((await call('GET', again.links.self)).status).toBe(404)
})

it('ends a run that takes too long', async () => {
  const call = caller(await install())
  const endless = `import "generate"
generate.from(count: 1000000000, fn: (n) => n, start: 2020-01-01T00:00:00Z, stop: 2021-01-01T00:00:00Z)
  |> map(fn: (r) => ({r with x: r._value * 2})) |> sum()`
  const { id } = await make(call, endless, 'every: 1h, timeout: 1s')
  const run = await runOnce(call, id)
  expect(run.status).toBe('failed')
  expect((await call('GET', `${path}/${id}`)).json.lastRunError).toBe(
    'the run took longer than 1 s',
  )
})

it('knows when it last ended well', async () => {
  const place = await install()
  const call = caller(place)
  const script = `import "array"
import "influxdata/influxdb/tasks"
array.from(rows: [{_time: now(), _measurement: "m", _field: "f",
  _value: string(v: tasks.lastSuccess(orTime: 2000-01-01T00:00:00Z))}]) |> to(bucket: "b")`
  const { id } = await make(call, script)
  await runOnce(call, id, '2024-01-01T00:00:00Z')
  await runOnce(call, id, '2024-01-01T01:00:00Z')
  expect(await place.lines()).toEqual([
    'm f="2000-01-01T00:00:00.000000000Z" 1704067200000000000',
    'm f="2024-01-01T00:00:00.000000000Z" 1704070800000000000',
  ])
})

it('waits for a moment to come', async () => {
  const call = caller(await install())
  const { id } = await make(call, downsample)
  const soon = new Date(Date.now() + 2500).toISOString()
  const asked = (await call('POST', `${path}/${id}/runs`, { scheduledFor: soon })).json
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect((await call('GET', asked.links.self)).json.status).toBe('scheduled')
  const run = await ended(call, asked.links.self)
  expect(run.startedAt >= asked.scheduledFor.slice(0, 19)).toBe(true)
  expect(run.startedAt.slice(0, 19) >= soon.slice(0, 19)).toBe(true)
})

async function withUser(place: Installation) {
  const call = caller(place)
  const user = (await call('POST', '/api/v2/users', { name: 'other' })).json
  const owner = { action: 'write', resource: { type: 'tasks', orgID: place.orgId } } as const
  const buckets = (action: 'read' | 'write') =>
    ({ action, resource: { type: 'buckets', orgID: place.orgId } }) as const
  const body = { orgID: place.orgId, userID: user.id, permissions: [owner, buckets('write')] }
  const { token } = (await call('POST', '/api/v2/authorizations', body)).json
  return { user, token }
}

it('runs with the rights that its owner has at that moment', async () => {
  const place = await install()
  const call = caller(place)
  const { user, token } = await withUser(place)
  const flux = withOptions(downsample)
  const made = await send(`${place.url}${path}`, {
    method: 'POST',
    token,
    body: JSON.stringify({ flux }),
  })
  expect(made.json).toMatchObject({ ownerID: user.id })
  const { id } = made.json
  expect((await runOnce(call, id)).status).toBe('success')

  const tokens = (await call('GET', `/api/v2/authorizations?userID=${user.id}`)).json.authorizations
  await call('PATCH', `/api/v2/authorizations/${tokens[0].id}`, { status: 'inactive' })
  expect((await runOnce(call, id)).status).toBe('failed')
  expect((await call('GET', `${path}/${id}`)).json.lastRunError).toContain('unauthorized')

  await call('DELETE', `/api/v2/users/${user.id}`)
  expect((await runOnce(call, id)).status).toBe('failed')
  expect((await call('GET', `${path}/${id}`)).json.lastRunError).toBe(
    'task owner is gone: set a new one',
  )
  const nobody = await call('PATCH', `${path}/${id}`, { ownerID: '0123456789abcdef' })
  expect([nobody.status, nobody.json.message]).toEqual([
    400,
    'cannot update task with invalid ownerID',
  ])
  const me = (await call('GET', '/api/v2/me')).json
  const changed = await call('PATCH', `${path}/${id}`, { ownerID: me.id })
  expect(changed.json).toMatchObject({ ownerID: me.id })
  expect((await runOnce(call, id)).status).toBe('success')
})

it('does not let everybody who may change a task give it another owner', async () => {
  const place = await install()
  const call = caller(place)
  const { id } = await make(call, downsample)
  const { user, token } = await withUser(place)
  const answer = await send(`${place.url}${path}/${id}`, {
    method: 'PATCH',
    token,
    body: JSON.stringify({ ownerID: user.id }),
  })
  expect(answer.status).toBe(401)
})

it('runs with a copy of the rights of a token that nobody owns', async () => {
  const place = await install()
  const resource = { type: 'tasks', orgID: place.orgId } as const
  const may = [
    { action: 'read', resource },
    { action: 'write', resource },
    { action: 'write', resource: { type: 'buckets', id: place.bucketId } },
  ] as const
  const call = caller({ ...place, token: await place.addToken(may) })
  const made = await call('POST', path, { flux: withOptions(downsample), orgID: place.orgId })
  expect(made.json).not.toHaveProperty('ownerID')
  expect(made.json).not.toHaveProperty('permissions')
  expect((await runOnce(call, made.json.id)).status).toBe('success')
  const reading = 'from(bucket: "b") |> range(start: -1h)'
  await call('PATCH', `${path}/${made.json.id}`, { flux: withOptions(reading) })
  expect((await runOnce(call, made.json.id)).status).toBe('failed')
})

it('calls off a run that waits for its moment, and keeps it among the ended ones', async () => {
  const place = await install()
  const call = caller(place)
  const { id } = await make(call, downsample)
  const later = { scheduledFor: '2100-01-01T00:00:00Z' }
  const asked = (await call('POST', `${path}/${id}/runs`, later)).json
  expect((await call('DELETE', asked.links.self)).status).toBe(204)
  const task = (await call('GET', `${path}/${id}`)).json
  expect(task).toMatchObject({ lastRunStatus: 'canceled' })
  while ((await place.lines('_tasks')).length === 0)
    await new Promise((done) => setTimeout(done, 10))
  expect((await place.lines('_tasks'))[0]).toContain(`status=canceled,taskID=${id}`)
})

it('reaches no other organization, whatever its owner may do there', async () => {
  const place = await install()
  const call = caller(place)
  const org = (await call('POST', '/api/v2/orgs', { name: 'p' })).json
  await call('POST', '/api/v2/buckets', { orgID: org.id, name: 'theirs', retentionRules: [] })
  const script = downsample.replace('to(bucket: "b")', 'to(bucket: "theirs", org: "p")')
  const { id } = await make(call, script)
  expect((await runOnce(call, id)).status).toBe('failed')
})

it('runs by itself, on time', async () => {
  const place = await install()
  const call = caller(place)
  const { id } = await make(call, downsample, 'every: 1s')
  const since = Date.now()
  let runs: RunJson[] = []
  while (runs.filter(({ status }) => status === 'success').length < 3) {
    expect(Date.now() - since).toBeLessThan(60_000)
    await new Promise((resolve) => setTimeout(resolve, 100))
    runs = (await call('GET', `${path}/${id}/runs`)).json.runs
  }
  const moments = runs.map(({ scheduledFor }) => Date.parse(scheduledFor))
  // One a second, none left out, none twice.
  for (let i = 1; i < moments.length; i++) expect(moments[i - 1] - moments[i]).toBe(1000)
  for (const { startedAt, scheduledFor, status } of runs) {
    if (status === 'success') expect(startedAt >= scheduledFor.slice(0, 19)).toBe(true)
  }
  await call('PATCH', `${path}/${id}`, { status: 'inactive' })
})

it.each([
  ['this is ( not flux', 'could not parse Flux script: error @1:6-1:19: expected RPAREN'],
  ['option task = {name: "t", cron: "99 0 * * *"}\nx', 'cron invalid: invalid minute 99'],
  ['option task = {name: "t", cron: "0 0 ? * *"}\nx', "error in parsing at char 4, '?'"],
  ['option task = {name: "t", every: 1h, zone: "Mars/Base"}\nx', 'unknown time zone "Mars/Base"'],
  ['option task = {name: "t", every: 1h}\nfrom(bucket: b)', '@2:14-2:15: undefined identifier b'],
  ['option task = {name: "t", every: 1h}\nx = 1 + "a"', '@2:9-2:12: expected int but found string'],
])('refuses to make %j', async (flux, message) => {
  const answer = await caller(await install())('POST', path, { flux })
  expect(answer.status).toBe(400)
  expect(answer.json.message).toContain(message)
})

it.each([
  ['influxql', 'SELECT mean(v INTO x FROM m', 'error parsing query: found INTO, expected )'],
  ['influxql', 'SELECT', 'at line 1, char 8'],
  ['sql', 'SELECT FROM FROM m', 'Line: 1, Column: 13'],
  ['sql', 'DROP TABLE m', 'DDL not supported'],
])('refuses to make a task in %s of %j', async (language, query, message) => {
  const call = caller(await install())
  const target = { database: 'b', targetBucket: 'b', targetMeasurement: 'x' }
  const input = { name: 't', every: '1h', language, ...target }
  const answer = await call('POST', path, { ...input, query })
  expect(answer.status).toBe(400)
  expect(answer.json.message).toContain(message)
  const fine = await call('POST', path, { ...input, query: 'SELECT v FROM m' })
  expect(fine.status).toBe(201)
  const changed = await call('PATCH', `${path}/${fine.json.id}`, { query })
  expect([changed.status, changed.json.message]).toEqual([400, answer.json.message])
  expect((await call('GET', `${path}/${fine.json.id}`)).json.query).toBe('SELECT v FROM m')
})

it('runs InfluxQL, SQL and invokable scripts', async () => {
  const place = await install()
  const call = caller(place)
  await place.write('m,host=a v=1 1704067200000000000\nm,host=a v=3 1704067260000000000')
  const influxql = await call('POST', path, {
    name: 'i',
    every: '1h',
    language: 'influxql',
    database: 'b',
    query:
      'SELECT mean(v) AS v INTO means FROM m WHERE time >= now() - 1h AND time < now() GROUP BY *',
  })
  expect(influxql.json).toMatchObject({ name: 'i', language: 'influxql', flux: '' })
  expect((await runOnce(call, influxql.json.id, '2024-01-01T00:30:00Z')).status).toBe('success')

  const script = `import "array"
array.from(rows: [{_time: now(), _measurement: "s", _field: "f", _value: params.x}]) |> to(bucket: "b")`
  const scriptBody = { name: 's', description: '', script, language: 'flux' }
  const scriptID = (await call('POST', '/api/v2/scripts', scriptBody)).json.id
  const invoked = { scriptID, name: 'v', every: '1h', scriptParameters: { x: 2.5 } }
  const { id } = (await call('POST', path, invoked)).json
  expect((await runOnce(call, id, '2024-01-01T00:00:00Z')).status).toBe('success')
  const lines = await place.lines()
  expect(lines).toContain('means,host=a v=2 1704065400000000000')
  expect(lines).toContain('s f=2.5 1704067200000000000')
  const bad = await call('POST', path, {
    name: 'i',
    every: '1h',
    language: 'influxql',
    database: 'b',
    query: 'SELECT FROM',
  })
  expect([bad.status, bad.json.message]).toEqual([400, expect.stringContaining('char 8')])
  const { text } = await send(`${place.url}/metrics`)
  expect(text).toContain('task_executor_total_runs_complete{task_type="system",status="success"} 2')
  expect(text).toContain('task_scheduler_total_execution_calls 2')
})

it('writes the rows of SQL into a measurement', async () => {
  const place = await install()
  const call = caller(place)
  await place.write('m,host=a v=1 1704067200000000000\nm,host=b v=3 1704067260000000000')
  const made = await call('POST', path, {
    name: 'q',
    every: '1h',
    language: 'sql',
    database: 'b',
    targetBucket: 'b',
    targetMeasurement: 'highest',
    query: 'SELECT host, max(v) AS v, count(*) AS n FROM m GROUP BY host',
  })
  expect(made.json).toMatchObject({ language: 'sql', targetMeasurement: 'highest' })
  expect((await runOnce(call, made.json.id, '2024-01-01T01:00:00Z')).status).toBe('success')
  const written = (await place.lines()).filter((line) => line.startsWith('highest'))
  expect(written).toEqual([
    'highest,host=a n=1i,v=1 1704070800000000000',
    'highest,host=b n=1i,v=3 1704070800000000000',
  ])
})

it('runs for the past what a backfill asks for', async () => {
  const place = await install()
  const call = caller(place)
  const { id } = await make(call, downsample)
  const body = { start: '2024-01-01T00:00:00Z', stop: '2024-01-01T03:00:00Z' }
  const planned = await call('POST', `${path}/${id}/backfill`, { ...body, dryRun: true })
  expect(planned.status).toBe(200)
  expect(planned.json).toEqual({
    dryRun: true,
    concurrency: 1,
    total: 3,
    first: '2024-01-01T00:00:00Z',
    last: '2024-01-01T02:00:00Z',
  })
  expect((await call('GET', `${path}/${id}/backfills`)).json.backfills).toEqual([])
  const asked = await call('POST', `${path}/${id}/backfill`, body)
  expect(asked.status).toBe(201)
  expect(asked.json).toMatchObject({ taskID: id, status: 'running', total: 3, progress: 0 })
  const { self } = asked.json.links
  let shown = asked.json
  while (shown.status !== 'done') {
    await new Promise((resolve) => setTimeout(resolve, 10))
    shown = (await call('GET', self)).json
  }
  expect(shown).toMatchObject({ succeeded: 3, failed: 0, canceled: 0, underWay: 0, progress: 1 })
  const hours = [0n, 1n, 2n].map((hour) => 1704067200000000000n + hour * 3600000000000n)
  expect(await place.lines()).toEqual(hours.map((time) => `m f=1 ${time}`))
  const { backfills } = (await call('GET', `${path}/${id}/backfills`)).json
  expect(backfills).toEqual([shown])
  const late = await call('POST', `${self}/pause`, {})
  expect([late.status, late.json.message]).toEqual([422, 'the backfill is done, not running'])
  const bad = await call('POST', `${path}/${id}/backfill`, { start: 'soon', stop: body.stop })
  expect([bad.status, bad.json.code]).toEqual([400, 'invalid'])
})

it('tries a script: tells what it would write, and writes and sends nothing', async () => {
  const place = await install()
  const call = caller(place)
  const { id } = await make(call, downsample)
  const dry = { dryRun: true, scheduledFor: '2024-01-01T00:00:00Z' }
  const tried = await call('POST', `${path}/${id}/runs`, dry)
  expect(tried.status).toBe(200)
  expect(tried.json).toEqual({
    dryRun: true,
    scheduledFor: '2024-01-01T00:00:00Z',
    rowCount: 1,
    writes: [{ bucket: 'b', bucketID: place.bucketId, lines: ['m f=1 1704067200000000000'] }],
  })
  expect(await place.lines()).toEqual([])
  expect((await call('GET', `${path}/${id}/runs`)).json.runs).toEqual([])
  const many = `import "generate"
generate.from(count: 1500, fn: (n) => n, start: 2020-01-01T00:00:00Z, stop: 2021-01-01T00:00:00Z)
  |> map(fn: (r) => ({r with _measurement: "m", _field: "f"})) |> to(bucket: "b")`
  const wide = await make(call, many)
  const cut = (await call('POST', `${path}/${wide.id}/runs`, dry)).json
  expect(cut.rowCount).toBe(1500)
  expect(cut.writes[0].lines).toHaveLength(1000)
  const bad = await make(call, 'from(bucket: "none") |> range(start: -1h)')
  const failed = await call('POST', `${path}/${bad.id}/runs`, dry)
  expect(failed.status).toBe(404)
  expect(failed.json.message).toContain('could not find bucket "none"')
})

it('tries InfluxQL, SQL and invokable scripts, and changes nothing', async () => {
  const place = await install()
  const call = caller(place)
  await place.write('m,host=a v=1 1704067200000000000\nm,host=a v=3 1704067260000000000')
  const before = await place.lines()
  const dry = { dryRun: true, scheduledFor: '2024-01-01T00:30:00Z' }
  const queried = { every: '1h', database: 'b' }
  const attempt = async (body: object) => {
    const made = await call('POST', path, { ...queried, ...body })
    return call('POST', `${path}/${made.json.id}/runs`, dry)
  }
  const query =
    'SELECT mean(v) AS v INTO means FROM m WHERE time >= now() - 1h AND time < now() GROUP BY *'
  const influxql = await attempt({ name: 'i', language: 'influxql', query })
  const { bucketId: bucketID } = place
  expect(influxql.json).toMatchObject({
    rowCount: 1,
    writes: [{ bucket: 'b', bucketID, lines: ['means,host=a v=2 1704065400000000000'] }],
  })
  const target = { targetBucket: 'b', targetMeasurement: 'highest' }
  const max = 'SELECT host, max(v) AS v FROM m GROUP BY host'
  const sql = await attempt({ name: 's', language: 'sql', query: max, ...target })
  expect(sql.json.writes).toEqual([
    { bucket: 'b', bucketID, lines: ['highest,host=a v=3 1704069000000000000'] },
  ])
  const script = `import "array"
array.from(rows: [{_time: now(), _measurement: "s", _field: "f", _value: params.x}]) |> to(bucket: "b")`
  const scriptBody = { name: 's', description: '', script, language: 'flux' }
  const scriptID = (await call('POST', '/api/v2/scripts', scriptBody)).json.id
  const invoked = await attempt({ name: 'v', scriptID, scriptParameters: { x: 2.5 } })
  expect(invoked.json.writes[0].lines).toEqual(['s f=2.5 1704069000000000000'])

  for (const statement of ['DROP MEASUREMENT m', 'DROP DATABASE b', 'DELETE FROM m']) {
    const refused = await attempt({ name: 'd', language: 'influxql', query: statement })
    expect([refused.status, refused.json.message]).toEqual([
      400,
      'a dry run only reads, and tells what points it would write',
    ])
  }
  const missing = { ...target, targetBucket: 'none' }
  const nowhere = await attempt({ name: 'n', language: 'sql', query: max, ...missing })
  expect([nowhere.status, nowhere.json.message]).toEqual([404, 'could not find bucket "none"'])
  expect(await place.lines()).toEqual(before)
})

it('counts rows and memory of runs in every language', async () => {
  const place = await install()
  const call = caller(place)
  const points = Array.from({ length: 500 }, (_, i) => `m,host=h${i % 5} v=${i} ${i}`)
  await place.write(points.join('\n'))
  const figures = async (body: object) => {
    const { json } = await call('POST', path, { every: '1h', database: 'b', ...body })
    const run = await runOnce(call, json.id, '1970-01-01T00:30:00Z')
    expect(run.status).toBe('success')
    const { runs } = (await call('GET', `${path}/${json.id}/runs`)).json
    return runs[0]
  }
  const flux = `option task = {name: "f", every: 1h}
from(bucket: "b") |> range(start: 0) |> filter(fn: (r) => r._measurement == "m")
  |> group() |> sort() |> limit(n: 10) |> set(key: "_measurement", value: "out") |> to(bucket: "b")`
  const sorted = await figures({ flux, database: undefined })
  expect(sorted).toMatchObject({ rowsRead: 500, rowsWritten: 10 })
  // A sort has all rows at once: their times and values at least.
  expect(sorted.bytesMax).toBeGreaterThan(500 * 16)
  const into = 'SELECT v INTO copy FROM m GROUP BY *'
  expect(await figures({ name: 'i', language: 'influxql', query: into })).toMatchObject({
    rowsRead: 500,
    rowsWritten: 500,
  })
  const target = { targetBucket: 'b', targetMeasurement: 'odd' }
  const odd = 'SELECT time, host, v FROM m WHERE v < 3'
  const picked = await figures({ name: 's', language: 'sql', query: odd, ...target })
  expect(picked.rowsWritten).toBe(3)
  expect(picked.rowsRead).toBeGreaterThanOrEqual(3)
  const lines = await place.lines('_tasks')
  expect(lines.some((line) => line.includes('rowsRead=500i,rowsWritten=10i'))).toBe(true)
})

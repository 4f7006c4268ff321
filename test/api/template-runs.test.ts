// Templates with tasks, checks and rules run as they are: everything of a folder is applied, each into an organization
// of its own, and every task, check and rule is run once. The folder is our own corpus, or the one that
// MILLRACE_TEMPLATES names; of others than ours only those failures count that are not theirs (a service outside that
// cannot be reached, a secret that nobody has set).
//
//   MILLRACE_TEMPLATES=/tmp/community-templates npx vitest run test/api/template-runs.test.ts

import { relative } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { ManualClock } from '../../src/platform/clock.js'
import { RecordingServer } from '../flux/outgoing.js'
import { caller, type Installation, install, send } from './harness.js'
import { applyBody, type Entry, readEntries, templateFiles } from './template-client.js'

const ownFolder = `${import.meta.dirname}/../corpus/templates`
const folder = process.env.MILLRACE_TEMPLATES ?? ownFolder
const files = templateFiles(folder).filter((file) => readEntries(file).some(runs))

function runs({ kind }: Entry): boolean {
  return /^(Task|Check|NotificationRule)/.test(kind)
}

const notOurs = /secret|no such host|cannot be reached|not allowed|private|dial tcp|ENOTFOUND/i

it(`runs everything of ${files.length} templates`, { timeout: 900_000 }, async () => {
  const place = await install()
  const failures: string[] = []
  const theirs: string[] = []
  const counts = { task: 0, check: 0, rule: 0 }
  for (const file of files) {
    const name = relative(folder, file)
    for (const failure of await runAll(place, name, readEntries(file), counts)) {
      const isTheirs = folder !== ownFolder && notOurs.test(failure)
      if (isTheirs) theirs.push(`${name}: ${failure}`)
      else failures.push(`${name}: ${failure}`)
    }
  }
  const figures = JSON.stringify({ templates: files.length, ...counts, theirs: theirs.length })
  console.log([`${figures} in ${folder}`, ...theirs].join('\n'))
  expect(failures).toEqual([])
  expect(counts.task + counts.check).toBeGreaterThan(0)
})

async function runAll(
  place: Installation,
  name: string,
  entries: readonly Entry[],
  counts: Record<'task' | 'check' | 'rule', number>,
): Promise<string[]> {
  const call = caller(place)
  const orgID = (await call('POST', '/api/v2/orgs', { name })).json.id
  const applied = await call('POST', '/api/v2/templates/apply', applyBody(orgID, name, entries))
  if (applied.status !== 201) return [`not applied: ${applied.text.slice(0, 500)}`]
  const of = async (path: string, member: string) =>
    (await call('GET', `/api/v2/${path}?orgID=${orgID}&limit=100`)).json[member]
  const made = [
    ...(await of('tasks', 'tasks')).map(({ id }: { id: string }) => ['task', id]),
    ...(await of('checks', 'checks')).map(({ taskID }: { taskID: string }) => ['check', taskID]),
    ...(await of('notificationRules', 'notificationRules')).map(
      ({ taskID }: { taskID: string }) => ['rule', taskID],
    ),
  ] as ['task' | 'check' | 'rule', string][]
  const failures: string[] = []
  for (const [kind, id] of made) {
    counts[kind]++
    let error = await runOnce(place, kind, id)
    // Many are about buckets that another template brings.
    for (let tries = 0; tries < 5 && /could not find bucket "/.test(error ?? ''); tries++) {
      const [, bucket] = /could not find bucket "([^"]+)"/.exec(error ?? '') ?? []
      await call('POST', '/api/v2/buckets', { orgID, name: bucket })
      error = await runOnce(place, kind, id)
    }
    if (error !== undefined) failures.push(`${kind} ${id}: ${error}`)
  }
  return failures
}

/** The error of the run; undefined: it went well. */
async function runOnce(place: Installation, kind: string, id: string): Promise<string | undefined> {
  const call = caller(place)
  if (kind === 'task') await call('PATCH', `/api/v2/tasks/${id}`, { status: 'active' })
  return vi.waitFor(
    async () => {
      const asked = await call('POST', `/api/v2/tasks/${id}/runs`, {})
      // Its own schedule asks for the same second.
      expect(asked.status).not.toBe(422)
      return asked.status === 201 ? ended(place, id, asked.json.id) : asked.json.message
    },
    { timeout: 120_000, interval: 500 },
  )
}

function ended(place: Installation, id: string, runId: string): Promise<string | undefined> {
  return vi.waitFor(
    async () => {
      const { json } = await caller(place)('GET', `/api/v2/tasks/${id}/runs/${runId}`)
      expect(['success', 'failed', 'canceled']).toContain(json.status)
      return json.status === 'success' ? undefined : String(json.error ?? json.status)
    },
    { timeout: 120_000, interval: 50 },
  )
}

it('goes from a point to the message with nothing but a template', {
  timeout: 60_000,
}, async () => {
  const start = Date.parse('2026-03-02T10:00:00Z')
  const clock = new ManualClock(BigInt(start) * 1_000_000n)
  const receiver = await RecordingServer.start()
  onTestFinished(() => receiver.stop())
  const place = await install({ clock, fluxPrivateHosts: true })
  const call = caller(place)
  const text = JSON.stringify(readEntries(`${ownFolder}/alerting.yml`))
  const entries = JSON.parse(text.replaceAll('http://127.0.0.1:9', receiver.url))
  const { orgId } = place
  const applied = await call('POST', '/api/v2/templates/apply', applyBody(orgId, 'a', entries))
  expect(applied.status).toBe(201)
  const line = `boiler,site=north pressure=9.6 ${BigInt(start + 5000) * 1_000_000n}`
  const target = `${place.url}/api/v2/write?org=o&bucket=boiler_raw`
  const write = await send(target, { method: 'POST', token: place.token, body: line })
  expect(write.status).toBe(204)
  // The task at the first boundary; at the next the check on what it wrote, and the rule.
  clock.set(BigInt(start + 10_000) * 1_000_000n + 1n)
  const means = await vi.waitFor(
    async () => {
      const lines = await place.lines('boiler_means')
      expect(lines).toHaveLength(1)
      return lines
    },
    { timeout: 30_000 },
  )
  expect(means[0]).toBe(`boiler,site=north pressure=10 ${BigInt(start + 10_000) * 1_000_000n}`)
  clock.set(BigInt(start + 20_000) * 1_000_000n + 1n)
  await vi.waitFor(() => expect(receiver.requests).toHaveLength(1), { timeout: 30_000 })
  expect(receiver.requests[0].url).toBe('/boiler')
  expect(JSON.parse(receiver.requests[0].body)).toMatchObject({
    _message: 'north: crit 10',
    _check_name: 'pressure',
    site: 'north',
  })
})

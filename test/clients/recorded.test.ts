// Clients that cannot be run here, by their recorded requests: each file of `recorded/` is played against a service of
// its own, and every answer must hold what its client needs.

import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { cluster } from '../api/cluster-client.js'
import { adminToken, send, start } from '../api/harness.js'
import { type Names, readRecording, unmet, wireRequest } from './recorded-requests.js'

const folder = `${import.meta.dirname}/recorded`

/** A user with a password, for clients that sign in. */
const onboarding = { username: 'u', password: 'password1', org: 'o', bucket: 'b' }

async function makePlace(variant: 'managed' | 'cluster'): Promise<{ url: string; names: Names }> {
  if (variant === 'cluster') {
    const { url } = await cluster()
    return { url, names: new Map(Object.entries({ url, token: adminToken })) }
  }
  const { url } = await start()
  const body = JSON.stringify({ ...onboarding, retentionPeriodSeconds: 0 })
  const { json } = await send(`${url}/api/v2/setup`, { method: 'POST', body })
  const { auth, org, bucket, user } = json
  const names = { url, token: auth.token, org: 'o', bucket: 'b' }
  const ids = { orgID: org.id, bucketID: bucket.id, userID: user.id }
  return { url, names: new Map(Object.entries({ ...names, ...ids })) }
}

describe.each(readdirSync(folder).sort())('%s', (file) => {
  it('gets what it needs', async () => {
    const path = `${folder}/${file}`
    const { variant, requests } = readRecording(path)
    const { url, names } = await makePlace(variant)
    const problems: string[] = []
    for (const request of requests) {
      const { method, target, headers, body } = wireRequest(request, names)
      const sent = body === undefined ? {} : { body }
      const answer = await send(`${url}${target}`, { method, headers, ...sent })
      for (const { line, text } of request.needs) {
        const problem = unmet(text, answer, names)
        if (problem !== undefined) problems.push(`${path}:${line}: ${request.title}: ${problem}`)
      }
    }
    expect(problems).toEqual([])
    expect(requests.length).toBeGreaterThan(0)
  })
})

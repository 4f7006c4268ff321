// The API document describes what is served: every documented path answers to somebody who may do
// anything, and nothing is served that is not documented.

import { expect, it } from 'vitest'
import { install, send } from './harness.js'

it('is served without a credential, as JSON and as a page', async () => {
  const { url } = await install()
  const answer = await send(`${url}/api/v2/swagger.json`)
  expect(answer.status).toBe(200)
  expect(answer.json.openapi).toBe('3.1.0')
  const create = answer.json.paths['/api/v2/dbrps'].post
  const { schema } = create.requestBody.content['application/json']
  expect(schema.required).toEqual(['bucketID', 'database', 'retention_policy'])
  const page = await send(`${url}/docs`)
  expect(page.headers['content-type']).toContain('text/html')
  expect(page.text).toContain('/api/v2/write')
})

it('names every path once, and none that is unknown', async () => {
  const { url, token } = await install()
  const { json } = await send(`${url}/api/v2/swagger.json`)
  const ids = new Set<string>()
  for (const [path, operations] of Object.entries<Record<string, { operationId: string }>>(
    json.paths,
  )) {
    for (const { operationId } of Object.values(operations)) {
      expect(ids.has(operationId), operationId).toBe(false)
      ids.add(operationId)
    }
    const concrete = path.replace(/\{\w+\}/g, '0123456789abcdef')
    const answer = await send(`${url}${concrete}`, { token, method: 'PROPFIND' })
    expect(answer.status, path).toBe(405)
  }
  expect(ids.size).toBeGreaterThan(5)
})

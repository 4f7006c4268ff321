// `/api/v2/query` under random Flux: every request is answered in time, with results, a table that says
// what failed, or a refusal; never with a fault of the server's own. The seed is fixed and printed with
// a failure; FUZZ_SEED and FUZZ_RUNS try others and more.

import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { mutated, soup, wellFormed, words } from '../flux/fuzz-scripts.js'
import { type Answer, type Installation, install } from './harness.js'
import { askFlux, askJson } from './query-v2-client.js'

vi.setConfig({ testTimeout: 600_000 })

const seed = Number(process.env.FUZZ_SEED ?? 20261115)
const numRuns = Number(process.env.FUZZ_RUNS ?? 200)

const points = `m,t=a f=1.5,i=1i,u=2u,s="x",b=true 1
m,t=a f=-2.5,i=9223372036854775807i,s="y",b=false 60000000000
m,t=c\\ d f=4,constructor=1,__proto__=2 300000000000
n,__proto__=a,toString=y f=7i,g="z" 60000000000`

async function target(): Promise<Installation & { readonly faults: string[] }> {
  const faults: string[] = []
  const installed = await install({
    queryTimeoutSeconds: 2,
    queryMemoryBytesMax: 20_000_000,
    log: (level, message, details) => {
      const { error } = (details ?? {}) as { error?: Error }
      if (level === 'error') faults.push(`${message}: ${error?.stack ?? ''}`)
    },
  })
  expect((await installed.write(points)).status).toBe(204)
  return { ...installed, faults }
}

function check({ status, text, headers }: Answer): void {
  expect([200, 400, 404, 413, 503]).toContain(status)
  expect(text).not.toContain('internal error')
  if (status !== 200) expect(JSON.parse(text)).toHaveProperty('message')
  else expect(headers['content-type']).toMatch(/^text\/csv/)
}

it('answers whatever script it is given', async () => {
  const installed = await target()
  const script = fc.oneof(wellFormed, mutated, soup)
  const property = fc.asyncProperty(script, async (body) => {
    check(await askFlux(installed, body))
    expect(installed.faults).toEqual([])
  })
  await fc.assert(property, { seed, numRuns, endOnFailure: true })
})

it('answers whatever else comes along with it', async () => {
  const installed = await target()
  const odd = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom('__proto__', 'constructor', '2020-01-01T00:00:00Z', '', '1h'),
  )
  const request = fc.record(
    {
      query: fc.oneof(soup, fc.constant('import "array"\narray.from(rows: [{v: params.a}])'), odd),
      type: fc.oneof(fc.constantFrom('flux', 'influxql'), odd),
      now: odd,
      params: fc.oneof(fc.dictionary(fc.constantFrom('a', '__proto__', 'constructor'), odd), odd),
      dialect: fc.oneof(
        fc.record(
          {
            header: odd,
            delimiter: odd,
            annotations: odd,
            commentPrefix: odd,
            dateTimeFormat: odd,
          },
          { requiredKeys: [] },
        ),
        odd,
      ),
      extern: fc.oneof(
        fc.record({
          type: fc.constantFrom('File', 'Package', 'Block'),
          body: fc.array(
            fc.record({ type: fc.constantFrom('OptionStatement', ...words), id: odd }),
          ),
          imports: odd,
          package: odd,
        }),
        odd,
      ),
      __proto__: odd,
    },
    { requiredKeys: ['query'], noNullPrototype: true },
  )
  const property = fc.asyncProperty(request, async (body) => {
    check(await askJson(installed, body))
    expect(installed.faults).toEqual([])
  })
  await fc.assert(property, { seed, numRuns, endOnFailure: true })
})

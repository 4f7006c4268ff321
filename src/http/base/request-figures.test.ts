// Requests counted in plain numbers read, in the text that monitoring fetches, as the counter and the histogram
// of the library would.

import { Counter, Histogram, Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { RequestFigures } from './request-figures.js'

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30]
const requests: readonly (readonly [string, string, number, number])[] = [
  ['GET', '/query', 200, 0.0004],
  ['GET', '/query', 200, 0.001],
  ['GET', '/query', 401, 0.0011],
  ['POST', '/query', 200, 31],
  ['POST', '/api/v2/buckets/:bucketID/"x"', 204, 0.25],
]

it('tells the same as the counters of the library', async () => {
  const [ours, theirs] = [new Registry(), new Registry()]
  const figures = new RequestFigures()
  figures.register(ours, 'answers_total', 'durations')
  const registers = [theirs]
  const help = 'Requests answered, by route and status.'
  const labelNames = ['method', 'route', 'status']
  const counter = new Counter({ name: 'answers_total', help, labelNames, registers })
  const histogram = new Histogram({
    name: 'durations',
    help: 'Time from the first byte of a request to the end of its answer.',
    labelNames: ['route'],
    buckets,
    registers,
  })
  for (const [method, route, status, seconds] of requests) {
    figures.count(method, route, status, seconds)
    counter.inc({ method, route, status: String(status) })
    histogram.observe({ route }, seconds)
  }
  expect(await ours.metrics()).toBe(await theirs.metrics())
})

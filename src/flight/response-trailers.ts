// What is told behind an answer: where the time of the query went, under the names that the v3 products
// have for it. Only what is known is told.

import { Metadata } from '@grpc/grpc-js'
import type { QueryDurations } from '../service/query/query-run.js'

export function durationTrailers(durations: QueryDurations): Metadata {
  const trailers = new Metadata()
  const add = (name: string, ns: bigint) =>
    trailers.set(`x-influxdata-${name}-duration-seconds`, (Number(ns) / 1e9).toFixed(9))
  add('queue', durations.queueNs)
  add('planning', durations.planningNs)
  add('execution', durations.executionNs)
  return trailers
}

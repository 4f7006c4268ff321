// A query thread: takes queries from the serving thread and runs them on the real disk. Flux and SQL are loaded when
// they are first asked for.

import { parentPort } from 'node:worker_threads'
import { assert } from '../../errors.js'
import { fluxLoader } from '../../flux/loader.js'
import { influxql } from '../../influxql/influxql.js'
import { systemClock } from '../../platform/clock.js'
import { NodeDisk } from '../../platform/node-disk.js'
import { systemRandom } from '../../platform/random.js'
import { lowerThreadPriority, lowPriority, nameThread } from '../../platform/thread-priority.js'
import type { ThreadRequest } from './messages.js'
import { QueryServer } from './query-server.js'

assert(parentPort !== null, 'runs as a worker')
const port = parentPort
// Whoever writes or asks little goes first, wherever there are too few cores for both.
lowerThreadPriority(lowPriority)
nameThread('query')

const server = new QueryServer({
  disk: new NodeDisk(),
  clock: systemClock,
  random: systemRandom,
  languages: {
    influxql,
    flux: fluxLoader(),
    sql: async () => (await import('../../sql/direct-sql.js')).directSql,
  },
  send: (reply) => port.postMessage(reply),
})
port.on('message', (request: ThreadRequest) => server.handle(request))

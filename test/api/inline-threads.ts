// Query threads for servers of tests: every query that may is handed over at its first read, to a thread that is this
// one behind the same messages. With them what its disk is, since the thread reads it by itself.

import { FluxLanguage } from '../../src/flux/flux.js'
import type { ServerOptions } from '../../src/index.js'
import { influxql } from '../../src/influxql/influxql.js'
import { systemClock } from '../../src/platform/clock.js'
import { MemoryDisk } from '../../src/platform/memory-disk.js'
import { systemRandom } from '../../src/platform/random.js'
import type { MakeThreadPort } from '../../src/service/query-thread/messages.js'
import { InlinePort } from '../../src/service/query-thread/thread-ports.js'
import { directSql } from '../../src/sql/direct-sql.js'

/** `around`: what a test puts between the server and the thread. */
export function inlineThreads(
  around: (makePort: MakeThreadPort) => MakeThreadPort = (makePort) => makePort,
): Pick<ServerOptions, 'disk' | 'queryThreads'> {
  const disk = new MemoryDisk()
  const flux = new FluxLanguage()
  const options = {
    disk,
    clock: systemClock,
    random: systemRandom,
    languages: { influxql, flux: async () => flux, sql: async () => directSql },
  }
  const makePort = around((listener) => new InlinePort(listener, options))
  return { disk, queryThreads: { count: 2, makePort, takesAll: true } }
}

// The store contract, run against ClickHouse: a real server, Debian's unless MILLRACE_TEST_CLICKHOUSE names another.
// And what deletes empty while others write, and rows of many series.

import { afterAll, beforeAll, describe } from 'vitest'
import { runEmptiedTests } from './clickhouse-emptied.js'
import {
  type ClickhouseServer,
  clickhouseMissing,
  clickhouseStores,
  startClickhouse,
} from './clickhouse-servers.js'
import { runWideTests } from './clickhouse-wide.js'
import { runStoreContract } from './contract.js'

let server: ClickhouseServer

describe.skipIf(clickhouseMissing !== undefined)('ClickHouse', () => {
  beforeAll(async () => {
    server = await startClickhouse()
  }, 60_000)

  afterAll(() => server?.stop(), 60_000)

  runStoreContract(
    'ClickHouse',
    clickhouseStores(() => server),
  )

  runEmptiedTests(() => server)

  runWideTests(() => server)
})

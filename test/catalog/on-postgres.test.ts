// The catalog's own tests once more, and those of resources over HTTP that depend most on what the database does, with
// the catalog in PostgreSQL. MILLRACE_TEST_CATALOG=postgres://USER:PASSWORD@HOST:PORT runs any other test this way.

import { afterAll, it } from 'vitest'
import { postgresMissing, startPostgresServer } from './postgres-databases.js'

if (postgresMissing === undefined) {
  const server = await startPostgresServer()
  process.env.MILLRACE_TEST_CATALOG = `postgres://flux:flux@127.0.0.1:${server.port}`
  afterAll(async () => {
    delete process.env.MILLRACE_TEST_CATALOG
    await server.stop()
  }, 60_000)
  for (const name of [
    '../../src/catalog/catalog.test.ts',
    '../../src/catalog/identities.test.ts',
    '../../src/catalog/storage/buckets.test.ts',
    '../../src/catalog/base/versions.test.ts',
    '../api/cluster-databases.test.ts',
    '../api/dbrps.test.ts',
    '../api/task-execution.test.ts',
  ]) {
    // Under a name of its own: files share modules, and each of these also runs for itself, once.
    await import(/* @vite-ignore */ `${name}?on-postgres`)
  }
} else {
  it.skip(`needs PostgreSQL: ${postgresMissing}`, () => undefined)
}

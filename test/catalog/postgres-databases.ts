// A PostgreSQL server for the tests that need one, and databases in it that nobody has used. Where
// MILLRACE_TEST_CATALOG names a server (a URL without a database), it is used instead of one of Debian's package.

import pg from 'pg'
import { type KillableServer, postgresMissing, startPostgres } from '../flux/sql-servers.js'

export { postgresMissing }

export interface PostgresServer extends KillableServer {
  /** The URL of a database with nothing in it. */
  newDatabase(): Promise<string>
}

export async function startPostgresServer(): Promise<PostgresServer> {
  const server = await startPostgres()
  const url = `postgres://flux:flux@127.0.0.1:${server.port}`
  return { ...server, newDatabase: () => newDatabase(url) }
}

let made = 0

export async function newDatabase(server: string): Promise<string> {
  const name = `catalog_${process.pid}_${made++}`
  const client = new pg.Client({ connectionString: `${server}/postgres` })
  await client.connect()
  await client.query(`CREATE DATABASE ${name}`)
  await client.end()
  return `${server}/${name}`
}

/** An empty catalog that ends with the test: in memory, unless the tests are run on PostgreSQL. */
export async function emptyCatalog(): Promise<string> {
  const server = process.env.MILLRACE_TEST_CATALOG
  return server === undefined || server === '' ? ':memory:' : newDatabase(server)
}

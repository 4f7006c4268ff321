// DuckDB is an optional package: an installation without it serves everything but SQL and Parquet files to import. Says
// whether a program of ours ended because of that, and then what to install.

import { UserError } from '../../errors.js'

/** As package.json pins it: we use a layer of it that may change with any version. */
export const duckdbPackage = '@duckdb/node-api@1.5.5-r.5'

/** The package, the layer below it, or the library for this kind of machine. */
const missing = /Cannot find (?:package|module) '@duckdb\//
/** There is no such library. */
const unsupported = /Error loading duckdb native binding: (.*)/

/** `said`: what a process that has ended wrote on standard error; `purpose`: what it was wanted for. */
export function missingDuckdb(said: string, purpose: string): UserError | undefined {
  const reason = unsupported.exec(said)?.[1]
  if (reason !== undefined) {
    return new UserError('not implemented', `${purpose} needs DuckDB: ${reason}`)
  }
  if (!missing.test(said)) return undefined
  const what = `${purpose} needs DuckDB, which is not installed here`
  const how = `run 'npm install ${duckdbPackage}' where Millrace is installed`
  return new UserError('not implemented', `${what}: ${how}`)
}

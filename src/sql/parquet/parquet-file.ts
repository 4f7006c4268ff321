// A Parquet file as lines of JSON (`parquet-reader.ts` says which), read by a process of its own whose memory is
// bounded: files come from anywhere. Throws UserError where the file cannot be read.

import { UserError } from '../../errors.js'
import { ChildProgram } from '../../platform/child-program.js'
import { missingDuckdb } from '../engine/missing-duckdb.js'

/** Of DuckDB: a row group of a file has to fit, and those of some writers are large. */
const memoryBytesMax = 512 * 1024 * 1024
/** What Node and DuckDB take before, and allocators hold in reserve. */
const dataBytesMax = 256 * 1024 * 1024 + 2 * memoryBytesMax
const heapMegabytesMax = 128

/** `path`: absolute. The process ends when nobody reads on. */
export async function* parquetRows(
  path: string,
  program = new URL('./parquet-reader.js', import.meta.url),
): AsyncGenerator<Uint8Array> {
  const bounds = { dataBytesMax, heapMegabytesMax }
  const child = new ChildProgram(program, [path, String(memoryBytesMax)], bounds)
  child.hold(true)
  let isRead = false
  try {
    for await (const chunk of child.control) yield chunk as Uint8Array
    isRead = true
  } finally {
    if (!isRead) child.kill()
  }
  const { code, signal, said } = await child.ended
  if (code === 0) return
  const missing = missingDuckdb(said, 'to read Parquet')
  if (missing !== undefined) throw missing
  const last = said.trim().split('\n').at(-1) ?? ''
  const reason = last === '' ? `its reader ended (${signal ?? `exit code ${code}`})` : last
  throw new UserError('invalid', `the Parquet file cannot be read: ${reason.slice(0, 500)}`)
}

// SQLite's data sources: a path, `file:path?mode=ro`, or `:memory:`.
// Where files may lie is not decided here.

import type { SqliteAccess, SqliteTarget } from '../../../platform/sql-connection.js'
import { FluxError } from '../../value/error.js'

export type SqlAction = 'read' | 'write'

export function sqliteTarget(source: string, action: SqlAction): SqliteTarget {
  const [address, ...rest] = source.split('?')
  const mode = new URLSearchParams(rest.join('?')).get('mode') ?? ''
  const path = address.startsWith('file:') ? pathOfUri(address.slice('file:'.length)) : address
  const isMemory = path === ':memory:' || mode === 'memory'
  return { kind: 'sqlite', path: isMemory ? undefined : path, access: accessOf(mode, action) }
}

/** `/a`, `a`, `///a`, `//localhost/a`. */
function pathOfUri(text: string): string {
  const path = text.startsWith('//') ? text.slice(text.indexOf('/', 2)) : text
  const authority = text.startsWith('//') ? text.slice(2, text.indexOf('/', 2)) : ''
  if (authority !== '' && authority !== 'localhost') {
    throw new FluxError(`invalid data source url: invalid uri authority: ${authority}`)
  }
  try {
    return decodeURIComponent(path)
  } catch {
    throw new FluxError('invalid data source url: invalid URL escape')
  }
}

function accessOf(mode: string, action: SqlAction): SqliteAccess {
  if (action === 'read' || mode === 'ro') return 'read'
  return mode === 'rw' ? 'change' : 'make'
}

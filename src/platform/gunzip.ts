// The unpacked bytes of a gzip stream. A failure of the source or of its bytes reaches whoever reads them, also one
// who begins to read later: without a listener of its own a stream that fails before that would end the process.

import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

export function gunzipped(source: Readable): Readable {
  const gunzip = createGunzip()
  gunzip.on('error', () => {})
  source.on('error', (error) => gunzip.destroy(error))
  return source.pipe(gunzip)
}

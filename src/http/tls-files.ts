// Certificate and key as the flags name them. Only both together are of use, so one without the other is a mistake that
// is told at the start.

import type { Config } from '../config.js'
import { UserError } from '../errors.js'
import { readFile } from '../platform/disk.js'
import { NodeDisk } from '../platform/node-disk.js'
import type { PortOptions } from './shared-port.js'

/** Relative paths are those of the process. Throws UserError that names the flag. */
export async function readTls({ tlsCert, tlsKey }: Config): Promise<PortOptions['tls']> {
  if (tlsCert === undefined && tlsKey === undefined) return undefined
  if (tlsCert === undefined || tlsKey === undefined) {
    const missing = tlsCert === undefined ? '--tls-cert' : '--tls-key'
    throw new UserError('invalid', `flag ${missing} is missing: certificate and key go together`)
  }
  const disk = new NodeDisk()
  const [certificate, key] = [await readFile(disk, tlsCert), await readFile(disk, tlsKey)]
  return { certificate, key }
}

// The package `experimental/bigtable`: tables of a database of Google's cloud, for which there is no client here.
// It can be imported, and its function says why it does nothing.

import type { Definitions } from '../../../package/define.js'
import { unavailable } from '../../../package/unavailable.js'

const fromType = `(token: string, project: string, instance: string, table: string) => stream[T]
  where T: Record`

export const bigtableBuiltins: Definitions = {
  from: unavailable('bigtable.from', fromType, 'there is no Bigtable client'),
}

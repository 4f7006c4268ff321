// How parts of the service tell what happens. In a file of its own, as the library's face names it: its types lead to
// nothing else.

import type { LogLevel } from '../../config.js'

export type Log = (
  level: LogLevel,
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void

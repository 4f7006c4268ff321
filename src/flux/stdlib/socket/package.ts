// The package `socket`: tables from a raw connection. Scripts open none: it would reach everything that the service
// can, with any protocol.

import type { Definitions } from '../../package/define.js'
import { unavailable } from '../../package/unavailable.js'

const fromType = '(url: string, ?decoder: string) => stream[A]'

export const socketBuiltins: Definitions = {
  from: unavailable('socket.from', fromType, 'scripts may not open sockets'),
}

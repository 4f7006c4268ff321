// The package `kafka`: rows as messages to brokers, for which there is no client here. It can be imported, and its
// function says why it does nothing.

import type { Definitions } from '../../package/define.js'
import { unavailable } from '../../package/unavailable.js'

const toType = `(
  <-tables: stream[A],
  brokers: [string],
  topic: string,
  ?balancer: string,
  ?name: string,
  ?nameColumn: string,
  ?timeColumn: string,
  ?tagColumns: [string],
  ?valueColumns: [string],
) => stream[A] where A: Record`

export const kafkaBuiltins: Definitions = {
  to: unavailable('kafka.to', toType, 'there is no Kafka client'),
}

// The package `experimental/mqtt`: messages to a broker. There is no client for its protocol here, and a script that
// wants to send one is told so before anything is read.

import type { Definitions } from '../../../package/define.js'
import { unavailable } from '../../../package/unavailable.js'

const connection = `
  ?qos: int,
  ?retain: bool,
  ?clientid: string,
  ?username: string,
  ?password: string,
  ?timeout: duration`

const toType = `(
  <-tables: stream[A],
  broker: string,
  ?topic: string,
  ?name: string,
  ?timeColumn: string,
  ?tagColumns: [string],
  ?valueColumns: [string],${connection}
) => stream[B] where A: Record, B: Record`

const publishType = `(broker: string, topic: string, message: string,${connection}) => bool`
const reason = 'there is no MQTT client'

export const mqttBuiltins: Definitions = {
  to: unavailable('mqtt.to', toType, reason),
  publish: unavailable('mqtt.publish', publishType, reason),
}

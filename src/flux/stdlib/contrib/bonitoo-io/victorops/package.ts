// The package `contrib/bonitoo-io/victorops`: alerts for VictorOps, whose times are whole seconds.
// The key and the route are in the URL.

import type { PackageDefinition } from '../../../define.js'
import { endpointSource } from '../../../http/endpoint.js'

export const victoropsPackage: PackageDefinition = {
  path: 'contrib/bonitoo-io/victorops',
  name: 'victorops',
  builtins: [],
  source: `package victorops

import "http"
import "json"

alert = (
        url,
        messageType,
        entityID="",
        entityDisplayName="",
        stateMessage="",
        timestamp=now(),
        monitoringTool="InfluxDB",
    ) =>
    http.post(
        url: url,
        headers: {"Content-Type": "application/json"},
        data:
            json.encode(
                v: {
                    message_type: messageType,
                    entity_id: entityID,
                    entity_display_name: entityDisplayName,
                    state_message: stateMessage,
                    state_start_time: uint(v: timestamp) / uint(v: 1000000000),
                    monitoring_tool: monitoringTool,
                },
            ),
    )
${endpointSource(
  'url, monitoringTool="InfluxDB"',
  `alert(
    url: url,
    messageType: obj.messageType,
    entityID: obj.entityID,
    entityDisplayName: obj.entityDisplayName,
    stateMessage: obj.stateMessage,
    timestamp: obj.timestamp,
    monitoringTool: monitoringTool,
  )`,
)}`,
}

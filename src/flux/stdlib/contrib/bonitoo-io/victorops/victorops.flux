// The package `contrib/bonitoo-io/victorops`: alerts for VictorOps, whose times are whole seconds.
// The key and the route are in the URL.

package victorops

import "http"
import "internal/notification"
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

endpoint = (url, monitoringTool="InfluxDB") =>
    notification.endpoint(
        send: (obj) =>
            alert(
                url: url,
                messageType: obj.messageType,
                entityID: obj.entityID,
                entityDisplayName: obj.entityDisplayName,
                stateMessage: obj.stateMessage,
                timestamp: obj.timestamp,
                monitoringTool: monitoringTool,
            ),
    )

// The package `contrib/bonitoo-io/alerta`: alerts for the monitoring console Alerta.
// Its times have milliseconds.

package alerta

import "http"
import "internal/notification"
import "json"
import "strings"

alert = (
        url,
        apiKey,
        resource,
        event,
        environment="",
        severity,
        service=[],
        group="",
        value="",
        text="",
        tags=[],
        attributes,
        origin="InfluxDB",
        type="",
        timestamp=now(),
    ) =>
    {
        // Nanoseconds are cut off: YYYY-MM-DDThh:mm:ss.mmm are 23 characters.
        milliseconds = strings.substring(v: string(v: timestamp), start: 0, end: 23)
        body =
            json.encode(
                v: {
                    resource: resource,
                    event: event,
                    environment: environment,
                    severity: severity,
                    service: service,
                    group: group,
                    value: value,
                    text: text,
                    tags: tags,
                    attributes: attributes,
                    origin: origin,
                    type: type,
                    createTime: milliseconds + "Z",
                },
            )

        return
            http.post(
                url: url,
                headers: {"Authorization": "Key " + apiKey, "Content-Type": "application/json"},
                data: body,
            )
    }

endpoint = (url, apiKey, environment="", origin="") =>
    notification.endpoint(
        send: (obj) =>
            alert(
                url: url,
                apiKey: apiKey,
                resource: obj.resource,
                event: obj.event,
                environment: environment,
                severity: obj.severity,
                service: obj.service,
                group: obj.group,
                value: obj.value,
                text: obj.text,
                tags: obj.tags,
                attributes: obj.attributes,
                origin: origin,
                type: obj.type,
                timestamp: obj.timestamp,
            ),
    )

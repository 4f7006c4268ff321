// The package `contrib/bonitoo-io/zenoss`: events for Zenoss, with a key or with a name and a password.
// They are calls of its remote interface.

package zenoss

import "http"
import "internal/notification"
import "json"

event = (
        url,
        username="",
        password="",
        apiKey="",
        action="EventsRouter",
        method="add_event",
        type="rpc",
        tid=1,
        summary="",
        device="",
        component="",
        severity,
        eventClass="",
        eventClassKey="",
        collector="",
        message="",
    ) =>
    {
        fact = {
            summary: summary,
            device: device,
            component: component,
            severity: severity,
            evclass: eventClass,
            evclasskey: eventClassKey,
            collector: collector,
            message: message,
        }
        data = json.encode(v: {action: action, method: method, data: [fact], type: type, tid: tid})
        contentType = {"Content-Type": "application/json"}

        return
            if apiKey == "" then
                http.post(
                    url: url,
                    headers: {contentType with "Authorization": http.basicAuth(u: username, p: password)},
                    data: data,
                )
            else
                http.post(url: url, headers: {contentType with "z-api-key": apiKey}, data: data)
    }

endpoint = (
    url,
    username="",
    password="",
    apiKey="",
    action="EventsRouter",
    method="add_event",
    type="rpc",
    tid=1,
) =>
    notification.endpoint(
        send: (obj) =>
            event(
                url: url,
                username: username,
                password: password,
                apiKey: apiKey,
                action: action,
                method: method,
                type: type,
                tid: tid,
                summary: obj.summary,
                device: obj.device,
                component: obj.component,
                severity: obj.severity,
                eventClass: obj.eventClass,
                eventClassKey: obj.eventClassKey,
                collector: obj.collector,
                message: obj.message,
            ),
    )

// The package `contrib/bonitoo-io/servicenow`: events for ServiceNow, which numbers severities and wants further
// facts as JSON inside JSON.

package servicenow

import "dict"
import "experimental/record"
import "http"
import "internal/notification"
import "json"

_severities = ["critical": "1", "major": "2", "minor": "3", "warning": "4", "info": "5", "clear": "0"]

event = (
        url,
        username,
        password,
        source="Flux",
        node="",
        metricType="",
        resource="",
        metricName="",
        messageKey="",
        description,
        severity,
        additionalInfo=record.any,
    ) =>
    {
        info =
            if additionalInfo == record.any then
                ""
            else
                string(v: json.encode(v: additionalInfo))
        fact = {
            source: source,
            node: node,
            type: metricType,
            resource: resource,
            metric_name: metricName,
            message_key: messageKey,
            description: description,
            severity: dict.get(dict: _severities, key: severity, default: ""),
            additional_info: info,
        }

        return
            http.post(
                url: url,
                headers: {
                    "Authorization": http.basicAuth(u: username, p: password),
                    "Content-Type": "application/json",
                },
                data: json.encode(v: {records: [fact]}),
            )
    }

endpoint = (url, username, password, source="Flux") =>
    notification.endpoint(
        send: (obj) =>
            event(
                url: url,
                username: username,
                password: password,
                source: source,
                node: obj.node,
                metricType: obj.metricType,
                resource: obj.resource,
                metricName: obj.metricName,
                messageKey: obj.messageKey,
                description: obj.description,
                severity: obj.severity,
                additionalInfo: record.get(r: obj, key: "additionalInfo", default: record.any),
            ),
    )

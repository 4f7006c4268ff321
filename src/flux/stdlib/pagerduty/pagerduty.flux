// The package `pagerduty`: events for PagerDuty. Events of tables with the same key are the same incident, which one of
// them opens and another resolves.

package pagerduty

import "dict"
import "experimental/record"
import "http/requests"
import "json"
import "strings"

option defaultURL = "https://events.pagerduty.com/v2/enqueue"

_severities = ["warn": "warning", "crit": "critical", "info": "info", "ok": "info"]

severityFromLevel = (level) =>
    dict.get(dict: _severities, key: strings.toLower(v: level), default: "error")

_action = (word) => if strings.toLower(v: word) == "ok" then "resolve" else "trigger"
actionFromSeverity = (severity) => _action(word: severity)
actionFromLevel = (level) => _action(word: level)

_sendEvent = (
        pagerdutyURL=defaultURL,
        routingKey,
        client,
        clientURL,
        dedupKey,
        class,
        group,
        severity,
        eventAction,
        source,
        component="",
        summary,
        timestamp,
        customDetails=record.any,
    ) =>
    {
        payload = {
            summary: strings.substring(v: summary, start: 0, end: 1023),
            timestamp: timestamp,
            source: source,
            component: component,
            severity: severity,
            group: group,
            class: class,
        }
        event = {
            payload: payload,
            routing_key: routingKey,
            dedup_key: dedupKey,
            event_action: eventAction,
            client: client,
            client_url: clientURL,
        }
        body =
            if customDetails == record.any then
                json.encode(v: event)
            else
                json.encode(v: {event with payload: {payload with custom_details: customDetails}})

        return
            requests.post(
                url: pagerdutyURL,
                headers:
                    [
                        "Accept": "application/vnd.pagerduty+json;version=2",
                        "Content-Type": "application/json",
                    ],
                body: body,
            )
    }

sendEvent = (
        pagerdutyURL=defaultURL,
        routingKey,
        client,
        clientURL,
        dedupKey,
        class,
        group,
        severity,
        eventAction,
        source,
        component="",
        summary,
        timestamp,
        customDetails=record.any,
    ) =>
    {
        answer =
            _sendEvent(
                pagerdutyURL,
                routingKey,
                client,
                clientURL,
                dedupKey,
                class,
                group,
                severity,
                eventAction,
                source,
                component,
                summary,
                timestamp,
                customDetails,
            )

        return answer.statusCode
    }

endpoint = (url=defaultURL) =>
    (mapFn) =>
        (tables=<-) =>
            tables
                |> dedupKey()
                |> map(
                    fn: (r) => {
                        obj = mapFn(r: r)
                        answer =
                            _sendEvent(
                                pagerdutyURL: url,
                                routingKey: obj.routingKey,
                                client: obj.client,
                                clientURL: obj.clientURL,
                                dedupKey: r._pagerdutyDedupKey,
                                class: obj.class,
                                group: obj.group,
                                severity: obj.severity,
                                eventAction: obj.eventAction,
                                source: obj.source,
                                component: record.get(r: obj, key: "component", default: ""),
                                summary: obj.summary,
                                timestamp: obj.timestamp,
                                customDetails:
                                    record.get(r: obj, key: "customDetails", default: record.any),
                            )

                        return {r with _sent: string(v: 2 == answer.statusCode / 100),
                            _status: string(v: answer.statusCode),
                            _body: string(v: answer.body),
                        }
                    },
                )

// The package `contrib/rhajek/bigpanda`: alerts for BigPanda. What a message holds is up to the script.
// The key of the application and the status are added.

package bigpanda

import "dict"
import "http"
import "internal/notification"
import "json"
import "strings"

option defaultUrl = "https://api.bigpanda.io/data/v2/alerts"

option defaultTokenPrefix = "Bearer"

_statuses = ["warn": "warning", "info": "ok", "ok": "ok"]

statusFromLevel = (level) =>
    dict.get(dict: _statuses, key: strings.toLower(v: level), default: "critical")

sendAlert = (url, token, appKey, status, rec) =>
    http.post(
        url: url,
        headers: {
            "Content-Type": "application/json; charset=utf-8",
            "Authorization": defaultTokenPrefix + " " + token,
        },
        data: json.encode(v: {rec with app_key: appKey, status: status}),
    )

endpoint = (url=defaultUrl, token, appKey) =>
    notification.endpoint(
        send: (obj) =>
            sendAlert(url: url, appKey: appKey, token: token, status: obj.status, rec: obj),
    )

package usage

import "csv"
import "experimental/influxdb"
import "experimental/json"
import "http"

_ask = (host, orgID, token, what, query) => {
    answer =
        if orgID == "" then
            die(msg: "keyword argument \"orgID\" is required where \"host\" is given")
        else
            influxdb.api(
                method: "get",
                host: host,
                token: token,
                path: "/api/v2/orgs/${http.pathEscape(inputString: orgID)}/${what}",
                query: query,
            )
    status = string(v: answer.statusCode)

    return
        if answer.statusCode > 299 then
            die(msg: "organization ${what} request returned status ${status}: ${string(v: answer.body)}")
        else
            answer.body
}

_askUsage = (start, stop, host, orgID, token, raw) => {
    query = ["start": string(v: start), "stop": string(v: stop), "raw": string(v: raw)]
    body = _ask(host: host, orgID: orgID, token: token, what: "usage", query: query)

    return csv.from(csv: string(v: body))
}

_askLimits = (host, orgID, token) =>
    json.parse(data: _ask(host: host, orgID: orgID, token: token, what: "limits", query: [:])).limits

from = (start, stop, host="", orgID="", token="", raw=false) =>
    if host == "" then
        _ownUsage(start: start, stop: stop, orgID: orgID, token: token, raw: raw)
    else
        _askUsage(start: start, stop: stop, host: host, orgID: orgID, token: token, raw: raw)

limits = (host="", orgID="", token="") =>
    if host == "" then
        _ownLimits(orgID: orgID, token: token)
    else
        _askLimits(host: host, orgID: orgID, token: token)

// The package `contrib/qxip/logql`: the answer to a LogQL query of a server that gives it as CSV (qryn), over a
// range of time.

package logql

import "csv"
import "date"
import "experimental/http/requests"

option defaultURL = "http://127.0.0.1:3100"

option defaultAPI = "/loki/api/v1/query_range"

// Nanoseconds since 1970.
_moment = (t) => string(v: uint(v: date.time(t: t)))

query_range = (
        url=defaultURL,
        path=defaultAPI,
        query,
        limit=100,
        step=10,
        start=-1h,
        end=now(),
        orgid="",
    ) =>
    {
        answer =
            requests.get(
                url: url + path,
                params:
                    [
                        "query": [query],
                        "limit": [string(v: limit)],
                        "start": [_moment(t: start)],
                        "end": [_moment(t: end)],
                        "step": [string(v: step)],
                        "csv": ["1"],
                    ],
                headers: if orgid == "" then [:] else ["X-Scope-OrgID": orgid],
                body: bytes(v: query),
            )

        return csv.from(csv: string(v: answer.body), mode: "raw")
    }

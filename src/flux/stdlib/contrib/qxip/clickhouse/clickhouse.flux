// The package `contrib/qxip/clickhouse`: the answer to a query of ClickHouse, asked over HTTP.
// It comes as CSV without types.

package clickhouse

import "csv"
import "experimental/http/requests"

option defaultURL = "http://127.0.0.1:8123"

query = (url=defaultURL, query, limit=100, cors="1", max_bytes=10000000, format="CSVWithNames") => {
    answer =
        requests.get(
            url: url,
            params:
                [
                    "query": [query],
                    "default_format": [format],
                    "max_result_rows": [string(v: limit)],
                    "max_result_bytes": [string(v: max_bytes)],
                    "add_http_cors_header": [cors],
                ],
            headers: ["X-ClickHouse-Format": format],
        )

    return csv.from(csv: string(v: answer.body), mode: "raw")
}

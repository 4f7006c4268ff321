package http

import "experimental"

endpoint = (url) =>
    (mapFn) =>
        (tables=<-) =>
            tables
                |> map(
                    fn: (r) => {
                        message = mapFn(r: r)
                        status = post(url: url, headers: message.headers, data: message.data)

                        return {r with _status: string(v: status), _sent: string(v: status == 200)}
                    },
                )
                |> experimental.group(mode: "extend", columns: ["_sent"])

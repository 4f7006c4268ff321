// What the packages for notifications have in common: a function that sends one message per row, and adds to the row
// what came of it.

package notification

// `send` gives the status of what was sent for `obj`, which the caller's mapFn makes of a row.
endpoint = (send) =>
    (mapFn) =>
        (tables=<-) =>
            tables
                |> map(
                    fn: (r) => {
                        status = send(obj: mapFn(r: r))

                        return {r with _status: string(v: status), _sent: string(v: 2 == status / 100)}
                    },
                )

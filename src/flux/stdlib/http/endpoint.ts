// What the packages for notifications have in common: a function that makes a function that sends one message per row,
// and adds to the row what came of it.

/**
 * Flux text. `parameters` are those of the endpoint; `send` is an expression that gives a status, in which `obj` is
 * what the caller's mapFn makes of a row.
 */
export function endpointSource(parameters: string, send: string): string {
  return `
endpoint = (${parameters}) =>
    (mapFn) =>
        (tables=<-) =>
            tables
                |> map(
                    fn: (r) => {
                        obj = mapFn(r: r)
                        status = ${send}

                        return {r with _status: string(v: status), _sent: string(v: 2 == status / 100)}
                    },
                )
`
}

package promql

import "experimental"
import "math"
import "universe"

_everywhere = (tables=<-, value) =>
    tables |> reduce(identity: {_value: value}, fn: (r, accumulator) => accumulator)

quantile = (q, tables=<-, method="exact_mean") =>
    if q < 0.0 then
        tables |> _everywhere(value: math.mInf(sign: -1))
    else if q > 1.0 then
        tables |> _everywhere(value: math.mInf(sign: 1))
    else
        tables |> universe.quantile(q: q, method: method)

join = experimental.join

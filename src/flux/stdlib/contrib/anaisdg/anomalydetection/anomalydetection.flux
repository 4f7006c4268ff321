// The package `contrib/anaisdg/anomalydetection`: series that stray from what the others do at the same time,
// by their median absolute deviation.

package anomalydetection

import "math"

// Makes the deviation of normally distributed values comparable to their standard deviation.
_consistency = 1.4826

mad = (table=<-, threshold=3.0) => {
    data = table |> group(columns: ["_time"], mode: "by")
    med = data |> median(column: "_value")
    diff =
        join(tables: {data: data, med: med}, on: ["_time"], method: "inner")
            |> map(fn: (r) => ({r with _value: math.abs(x: r._value_data - r._value_med)}))
            |> drop(columns: ["_start", "_stop", "_value_med", "_value_data"])
    diff_med =
        diff
            |> median(column: "_value")
            |> map(fn: (r) => ({r with MAD: _consistency * r._value}))
            |> filter(fn: (r) => r.MAD > 0.0)

    return
        join(tables: {diff: diff, diff_med: diff_med}, on: ["_time"], method: "inner")
            |> map(fn: (r) => ({r with _value: r._value_diff / r._value_diff_med}))
            |> map(fn: (r) => ({r with level: if r._value >= threshold then "anomaly" else "normal"}))
}

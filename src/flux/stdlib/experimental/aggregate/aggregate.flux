// The package `experimental/aggregate`: how fast counters of many series rise together, in windows. Counters
// that start anew do not count as falling.

package aggregate

import "experimental"

rate = (tables=<-, every, groupColumns=[], unit=1s) => {
    perSeries = tables |> derivative(unit: unit, nonNegative: true)
    total = (column, tables=<-) =>
        tables
            |> mean(column: column)
            |> group(columns: groupColumns)
            |> experimental.group(mode: "extend", columns: ["_start", "_stop"])
            |> sum()

    return perSeries |> aggregateWindow(every: every, fn: total)
}

// Functions of the universe that are other functions put together. The planner knows the chains that `aggregateWindow`
// makes: what it looks like here is what it looks for.

package universe

import "date"
import "experimental/table"

// The same moment throughout a query unless the script sets its own; clocks and calendar of UTC likewise.
option now = _queryTime
option location = {zone: "UTC", offset: 0h}

aggregateWindow = (
    every,
    period=0s,
    fn,
    offset=0s,
    location=location,
    column="_value",
    timeSrc="_stop",
    timeDst="_time",
    createEmpty=true,
    tables=<-,
) => {
    windowed =
        tables
            |> window(every: every, period: period, offset: offset, location: location, createEmpty: createEmpty)
            |> fn(column: column)
    filled = if createEmpty then windowed |> table.fill() else windowed

    return
        filled
            |> duplicate(column: timeSrc, as: timeDst)
            |> window(every: inf, timeColumn: timeDst)
}

timedMovingAverage = (every, period, column="_value", tables=<-) =>
    tables
        |> window(every: every, period: period)
        |> mean(column: column)
        |> duplicate(column: "_stop", as: "_time")
        |> window(every: inf)

stateCount = (fn, column="stateCount", tables=<-) =>
    tables |> stateTracking(countColumn: column, fn: fn)

stateDuration = (fn, column="stateDuration", timeColumn="_time", unit=1s, tables=<-) =>
    tables |> stateTracking(durationColumn: column, timeColumn: timeColumn, fn: fn, durationUnit: unit)

top = (n, columns=["_value"], tables=<-) =>
    tables |> sort(columns: columns, desc: true) |> limit(n: n)

bottom = (n, columns=["_value"], tables=<-) =>
    tables |> sort(columns: columns, desc: false) |> limit(n: n)

_ofGroups = (groupColumns, choose, tables=<-) =>
    tables |> group(columns: groupColumns) |> choose() |> group()

highestMax = (n, column="_value", groupColumns=[], tables=<-) =>
    tables
        |> _ofGroups(groupColumns: groupColumns, choose: (tables=<-) => tables |> max(column: column))
        |> top(n: n, columns: [column])

highestAverage = (n, column="_value", groupColumns=[], tables=<-) =>
    tables
        |> _ofGroups(groupColumns: groupColumns, choose: (tables=<-) => tables |> mean(column: column))
        |> top(n: n, columns: [column])

highestCurrent = (n, column="_value", groupColumns=[], tables=<-) =>
    tables
        |> _ofGroups(groupColumns: groupColumns, choose: (tables=<-) => tables |> last(column: column))
        |> top(n: n, columns: [column])

lowestMin = (n, column="_value", groupColumns=[], tables=<-) =>
    tables
        |> _ofGroups(groupColumns: groupColumns, choose: (tables=<-) => tables |> min(column: column))
        |> bottom(n: n, columns: [column])

lowestAverage = (n, column="_value", groupColumns=[], tables=<-) =>
    tables
        |> _ofGroups(groupColumns: groupColumns, choose: (tables=<-) => tables |> mean(column: column))
        |> bottom(n: n, columns: [column])

lowestCurrent = (n, column="_value", groupColumns=[], tables=<-) =>
    tables
        |> _ofGroups(groupColumns: groupColumns, choose: (tables=<-) => tables |> last(column: column))
        |> bottom(n: n, columns: [column])

truncateTimeColumn = (timeColumn="_time", unit, tables=<-) =>
    tables |> map(fn: (r) => ({r with _time: date.truncate(t: r._time, unit: unit)}))

today = () => date.truncate(t: now(), unit: 1d)

toString = (tables=<-) => tables |> map(fn: (r) => ({r with _value: string(v: r._value)}))
toInt = (tables=<-) => tables |> map(fn: (r) => ({r with _value: int(v: r._value)}))
toUInt = (tables=<-) => tables |> map(fn: (r) => ({r with _value: uint(v: r._value)}))
toFloat = (tables=<-) => tables |> map(fn: (r) => ({r with _value: float(v: r._value)}))
toBool = (tables=<-) => tables |> map(fn: (r) => ({r with _value: bool(v: r._value)}))
toTime = (tables=<-) => tables |> map(fn: (r) => ({r with _value: time(v: r._value)}))

// Of two streams, joined.
cov = (x, y, on, pearsonr=false) =>
  join(tables: {x, y}, on: on)
    |> covariance(columns: ["_value_x", "_value_y"], pearsonr: pearsonr)
pearsonr = (x, y, on) => cov(x: x, y: y, on: on, pearsonr: true)

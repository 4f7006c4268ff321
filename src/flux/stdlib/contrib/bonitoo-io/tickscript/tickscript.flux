// The package `contrib/bonitoo-io/tickscript`: what scripts of Kapacitor do (alerts with topics, a watch over
// streams that fall silent, selections with names), on top of the checks of `monitor`.

package tickscript

import "experimental"
import "experimental/array"
import "influxdata/influxdb/monitor"
import "influxdata/influxdb/schema"
import "universe"

_renamed = (tables=<-, from, to) =>
    tables |> rename(fn: (column) => if column == from then to else column)

// Checks want the measurement in the group key.
_keyedByMeasurement = (tables=<-) =>
    tables |> experimental.group(columns: ["_measurement"], mode: "extend")

defineCheck = (id, name, type="custom") => ({_check_id: id, _check_name: name, _type: type, tags: {}})

alert = (
        check,
        id=(r) => "${r._check_id}",
        details=(r) => "",
        message=(r) => "Threshold Check: ${r._check_name} is: ${r._level}",
        crit=(r) => false,
        warn=(r) => false,
        info=(r) => false,
        ok=(r) => true,
        topic="",
        tables=<-,
    ) =>
    {
        _withTopic =
            if topic == "" then
                (tables=<-) => tables
            else
                (tables=<-) =>
                    tables
                        |> set(key: "_topic", value: topic)
                        |> experimental.group(mode: "extend", columns: ["_topic"])

        return
            tables
                |> drop(fn: (column) => column =~ /_start.*/ or column =~ /_stop.*/)
                |> map(fn: (r) => ({r with _check_id: check._check_id, _check_name: check._check_name}))
                |> map(fn: (r) => ({r with id: id(r: r)}))
                |> map(fn: (r) => ({r with details: details(r: r)}))
                |> _withTopic()
                |> monitor.check(
                    crit: crit,
                    warn: warn,
                    info: info,
                    ok: ok,
                    messageFn: message,
                    data: check,
                )
    }

// A stream without tables cannot be counted. One row is put beside it: where nothing else is found, an empty table
// takes the place of the stream, which then has a count of 0.
deadman = (
        check,
        measurement,
        threshold=0,
        id=(r) => "${r._check_id}",
        message=(r) => "Deadman Check: ${r._check_name} is: " + (if r.dead then "dead" else "alive"),
        topic="",
        tables=<-,
    ) =>
    {
        placeholder =
            array.from(rows: [{_time: 2000-01-01T00:00:00Z, _field: "unknown", _value: 0}])
                |> set(key: "_measurement", value: measurement)
                |> _keyedByMeasurement()
                |> schema.fieldsAsCols()
        counts =
            union(tables: [placeholder, tables])
                |> keep(columns: ["_measurement", "_time"])
                |> duplicate(column: "_measurement", as: "__value__")
                |> count(column: "__value__")
                |> findColumn(fn: (key) => key._measurement == measurement, column: "__value__")
        watched =
            if counts[0] == 1 then
                placeholder |> drop(columns: ["unknown"]) |> limit(n: 0)
            else
                tables

        return
            watched
                |> duplicate(column: "_measurement", as: "__value__")
                |> count(column: "__value__")
                |> map(fn: (r) => ({r with _time: now()}))
                |> map(fn: (r) => ({r with dead: r.__value__ <= threshold}))
                |> drop(columns: ["__value__"])
                |> alert(check: check, id: id, message: message, crit: (r) => r.dead, topic: topic)
    }

select = (column="_value", fn=(column, tables=<-) => tables, as, tables=<-) =>
    tables
        |> fn(column: column)
        |> _renamed(from: column, to: as)

selectWindow = (column="_value", fn, as, every, defaultValue, tables=<-) =>
    tables
        |> aggregateWindow(every: every, fn: fn, column: column, createEmpty: true)
        |> fill(column: column, value: defaultValue)
        |> _renamed(from: column, to: as)

compute = select

groupBy = (columns, tables=<-) => tables |> group(columns: columns) |> _keyedByMeasurement()

join = (tables, on=["_time"], measurement) =>
    universe.join(tables: tables, on: on)
        |> map(fn: (r) => ({r with _measurement: measurement}))
        |> _keyedByMeasurement()

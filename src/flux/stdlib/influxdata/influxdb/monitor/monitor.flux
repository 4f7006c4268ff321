// The package `influxdata/influxdb/monitor`: statuses of checks and notifications about them, kept in the
// bucket `_monitoring`. How they are written are options, so that a script can put its own in their place.

package monitor

import "experimental"
import "influxdata/influxdb"
import "influxdata/influxdb/schema"

bucket = "_monitoring"

levelOK = "ok"
levelInfo = "info"
levelWarn = "warn"
levelCrit = "crit"
levelUnknown = "unknown"

option write = (tables=<-) => tables |> experimental.to(bucket: bucket)
option log = (tables=<-) => tables |> experimental.to(bucket: bucket)

_read = (measurement, start, stop, fn) =>
    influxdb.from(bucket: bucket)
        |> range(start: start, stop: stop)
        |> filter(fn: (r) => r._measurement == measurement)
        |> filter(fn: fn)
        |> schema.fieldsAsCols()

from = (start, stop=now(), fn=(r) => true) =>
    _read(measurement: "statuses", start: start, stop: stop, fn: fn)

logs = (start, stop=now(), fn) =>
    _read(measurement: "notifications", start: start, stop: stop, fn: fn)

check = (
        tables=<-,
        data,
        messageFn,
        crit=(r) => false,
        warn=(r) => false,
        info=(r) => false,
        ok=(r) => true,
    ) => {
    levelOf = (r) =>
        if crit(r: r) then
            levelCrit
        else if warn(r: r) then
            levelWarn
        else if info(r: r) then
            levelInfo
        else if ok(r: r) then
            levelOK
        else
            levelUnknown
    status = (r) =>
        ({r with
            _measurement: "statuses",
            _source_measurement: r._measurement,
            _type: data._type,
            _check_id: data._check_id,
            _check_name: data._check_name,
            _level: levelOf(r: r),
            _source_timestamp: int(v: r._time),
            _time: now(),
        })
    added = ["_source_measurement", "_type", "_check_id", "_check_name", "_level"]

    return
        tables
            |> experimental.set(o: data.tags)
            |> experimental.group(mode: "extend", columns: experimental.objectKeys(o: data.tags))
            |> map(fn: status)
            |> map(fn: (r) => ({r with _message: messageFn(r: r)}))
            |> experimental.group(mode: "extend", columns: added)
            |> write()
}

notify = (tables=<-, endpoint, data) =>
    tables
        |> experimental.set(o: data)
        |> experimental.group(mode: "extend", columns: experimental.objectKeys(o: data))
        |> map(
            fn: (r) =>
                ({r with
                    _measurement: "notifications",
                    _status_timestamp: int(v: r._time),
                    _time: now(),
                }),
        )
        |> endpoint()
        |> experimental.group(mode: "extend", columns: ["_sent"])
        |> log()

deadman = (t, tables=<-) =>
    tables
        |> max(column: "_time")
        |> map(fn: (r) => ({r with dead: r._time < t}))

// Rows at which the number that `rank` gives a row changed as `isWanted` says.
_changes = (tables=<-, rank, isWanted) =>
    tables
        |> map(fn: (r) => ({r with level_value: rank(r: r)}))
        |> duplicate(column: "_level", as: "____temp_level____")
        |> drop(columns: ["_level"])
        |> rename(columns: {"____temp_level____": "_level"})
        |> sort(columns: ["_source_timestamp", "_time"], desc: false)
        |> difference(columns: ["level_value"])
        |> filter(fn: isWanted)
        |> drop(columns: ["level_value"])
        |> experimental.group(mode: "extend", columns: ["_level"])

stateChangesOnly = (tables=<-) => {
    rank = (r) =>
        if r._level == levelCrit then
            4
        else if r._level == levelWarn then
            3
        else if r._level == levelInfo then
            2
        else if r._level == levelOK then
            1
        else
            0

    return tables |> _changes(rank: rank, isWanted: (r) => r.level_value != 0)
}

_stateChanges = (tables=<-, fromLevel, toLevel) => {
    isTo =
        if toLevel == "any" then
            (r) => r._level != fromLevel and exists r._level
        else
            (r) => r._level == toLevel
    isFrom =
        if fromLevel == "any" then
            (r) => r._level != toLevel and exists r._level
        else
            (r) => r._level == fromLevel
    rank = (r) => if isTo(r: r) then 1 else if isFrom(r: r) then 0 else -10

    return tables |> _changes(rank: rank, isWanted: (r) => r.level_value == 1)
}

stateChanges = (fromLevel="any", toLevel="any", tables=<-) =>
    if fromLevel == "any" and toLevel == "any" then
        tables |> stateChangesOnly()
    else
        tables |> _stateChanges(fromLevel: fromLevel, toLevel: toLevel)

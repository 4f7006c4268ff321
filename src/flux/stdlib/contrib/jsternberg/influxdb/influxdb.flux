// The package `contrib/jsternberg/influxdb`: one call for what most queries of a bucket begin with. `select` gives
// a column per field and leaves out the columns that say where everything came from.

package influxdb

import "influxdata/influxdb"
import "influxdata/influxdb/v1"

_source = (bucket, org, host, token) =>
    if org != "" and host != "" and token != "" then
        influxdb.from(bucket: bucket, org: org, host: host, token: token)
    else if org != "" and token != "" then
        influxdb.from(bucket: bucket, org: org, token: token)
    else if org != "" and host != "" then
        influxdb.from(bucket: bucket, org: org, host: host)
    else if host != "" and token != "" then
        influxdb.from(bucket: bucket, host: host, token: token)
    else if org != "" then
        influxdb.from(bucket: bucket, org: org)
    else if host != "" then
        influxdb.from(bucket: bucket, host: host)
    else if token != "" then
        influxdb.from(bucket: bucket, token: token)
    else
        influxdb.from(bucket: bucket)

from = (bucket, start, stop=now(), org="", host="", token="") =>
    _source(bucket: bucket, org: org, host: host, token: token)
        |> range(start: start, stop: stop)

_from = from

// Comparisons with a few names reach the storage; a long list is looked through row by row.
_isField = (fields) => {
    count = length(arr: fields)

    return
        if count == 0 then
            (r) => true
        else if count == 1 then
            (r) => r._field == fields[0]
        else if count == 2 then
            (r) => r._field == fields[0] or r._field == fields[1]
        else if count == 3 then
            (r) => r._field == fields[0] or r._field == fields[1] or r._field == fields[2]
        else
            (r) => contains(value: r._field, set: fields)
}

select = (from, start, stop=now(), m, fields=[], org="", host="", token="", where=(r) => true) =>
    _from(bucket: from, start: start, stop: stop, org: org, host: host, token: token)
        |> filter(fn: (r) => r._measurement == m)
        |> filter(fn: where)
        |> filter(fn: _isField(fields: fields))
        |> v1.fieldsAsCols()
        |> drop(columns: ["_measurement", "_start", "_stop"])

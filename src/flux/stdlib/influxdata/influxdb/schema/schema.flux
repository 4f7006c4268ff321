// The package `influxdata/influxdb/schema`: what there is in a bucket. Each function is a chain that the
// planner answers from the store's index; run as it stands it gives the same names by reading points.

package schema

option _from = from

_startDefault = -30d
_stopDefault = now()

_everything = (r) => true

tagValues = (bucket, tag, predicate=_everything, start=_startDefault, stop=_stopDefault) =>
    _from(bucket: bucket)
        |> range(start: start, stop: stop)
        |> filter(fn: predicate)
        |> keep(columns: [tag])
        |> group()
        |> distinct(column: tag)

tagKeys = (bucket, predicate=_everything, start=_startDefault, stop=_stopDefault) =>
    _from(bucket: bucket)
        |> range(start: start, stop: stop)
        |> filter(fn: predicate)
        |> keys()
        |> keep(columns: ["_value"])
        |> distinct()

fieldKeys = (bucket, predicate=_everything, start=_startDefault, stop=_stopDefault) =>
    tagValues(bucket: bucket, tag: "_field", predicate: predicate, start: start, stop: stop)

measurements = (bucket, start=_startDefault, stop=_stopDefault) =>
    tagValues(bucket: bucket, tag: "_measurement", start: start, stop: stop)

measurementTagValues = (bucket, measurement, tag, start=_startDefault, stop=_stopDefault) => {
    isWanted = (r) => r._measurement == measurement

    return tagValues(bucket: bucket, tag: tag, predicate: isWanted, start: start, stop: stop)
}

measurementTagKeys = (bucket, measurement, start=_startDefault, stop=_stopDefault) => {
    isWanted = (r) => r._measurement == measurement

    return tagKeys(bucket: bucket, predicate: isWanted, start: start, stop: stop)
}

measurementFieldKeys = (bucket, measurement, start=_startDefault, stop=_stopDefault) => {
    isWanted = (r) => r._measurement == measurement

    return fieldKeys(bucket: bucket, predicate: isWanted, start: start, stop: stop)
}

fieldsAsCols = (tables=<-) =>
    tables
        |> pivot(rowKey: ["_time"], columnKey: ["_field"], valueColumn: "_value")

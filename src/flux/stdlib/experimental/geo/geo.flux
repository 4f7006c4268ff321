package geo

import "experimental"
import "influxdata/influxdb/v1"

option units = {distance: "km"}

ST_Contains = (region, geometry, units=units) => stContains(region, geometry, units)

ST_Distance = (region, geometry, units=units) => stDistance(region, geometry, units)

ST_DWithin = (region, geometry, distance, units=units) =>
    ST_Distance(region, geometry, units) <= distance

ST_Intersects = (region, geometry, units=units) => ST_Distance(region, geometry, units) <= 0.0

ST_Length = (geometry, units=units) => stLength(geometry, units)

ST_LineString = (tables=<-) =>
    tables
        |> reduce(
            identity: {st_linestring: "", _separator: ""},
            fn: (r, accumulator) =>
                ({
                    st_linestring:
                        accumulator.st_linestring + accumulator._separator + string(v: r.lon) + " "
                            +
                            string(v: r.lat),
                    _separator: ", ",
                }),
        )
        |> drop(columns: ["_separator"])

_detectedLevel = (tables=<-) => {
    _first =
        tables
            |> tableFind(fn: (key) => exists key.s2_cell_id)
            |> getRecord(idx: 0)

    return getLevel(token: _first.s2_cell_id)
}

_levelOf = (tables=<-, given) => if given == -1 then tables |> _detectedLevel() else given

toRows = (tables=<-) => tables |> v1.fieldsAsCols()

shapeData = (tables=<-, latField, lonField, level) => {
    _nameOf = (field) =>
        if field == latField then "lat" else if field == lonField then "lon" else field

    return
        tables
            |> map(fn: (r) => ({r with _field: _nameOf(field: r._field)}))
            |> toRows()
            |> map(
                fn: (r) =>
                    ({r with s2_cell_id:
                            s2CellIDToken(point: {lat: r.lat, lon: r.lon}, level: level),
                    }),
            )
            |> experimental.group(columns: ["s2_cell_id"], mode: "extend")
}

gridFilter = (
        tables=<-,
        region,
        minSize=24,
        maxSize=-1,
        level=-1,
        s2cellIDLevel=-1,
        units=units,
    ) =>
    {
        _columnLevel = tables |> _levelOf(given: s2cellIDLevel)
        _grid =
            getGrid(
                region: region,
                minSize: minSize,
                maxSize: maxSize,
                level: level,
                maxLevel: _columnLevel,
                units: units,
            )
        _cellOf =
            if _grid.level == _columnLevel then
                (token) => token
            else
                (token) => s2CellIDToken(token: token, level: _grid.level)

        return
            tables
                |> filter(fn: (r) => contains(value: _cellOf(token: r.s2_cell_id), set: _grid.set))
    }

strictFilter = (tables=<-, region) =>
    tables
        |> filter(fn: (r) => ST_Contains(region: region, geometry: {lat: r.lat, lon: r.lon}))

filterRows = (
        tables=<-,
        region,
        minSize=24,
        maxSize=-1,
        level=-1,
        s2cellIDLevel=-1,
        strict=true,
    ) =>
    {
        _names =
            tables
                |> columns(column: "name")
                |> findColumn(column: "name", fn: (key) => true)
        _found = tables |> gridFilter(region, minSize, maxSize, level, s2cellIDLevel)
        _rows = if contains(value: "lat", set: _names) then _found else _found |> toRows()

        return if strict then _rows |> strictFilter(region) else _rows
    }

groupByArea = (tables=<-, newColumn, level, s2cellIDLevel=-1) => {
    _columnLevel = tables |> _levelOf(given: s2cellIDLevel)
    _withArea =
        if level == _columnLevel then
            tables |> duplicate(column: "s2_cell_id", as: newColumn)
        else
            tables
                |> map(
                    fn: (r) =>
                        ({r with _area:
                                s2CellIDToken(point: {lat: r.lat, lon: r.lon}, level: level),
                        }),
                )
                |> rename(columns: {_area: newColumn})

    return _withArea |> group(columns: [newColumn])
}

asTracks = (tables=<-, groupBy=["id", "tid"], orderBy=["_time"]) =>
    tables
        |> group(columns: groupBy)
        |> sort(columns: orderBy)

totalDistance = (tables=<-, outputColumn="_value") =>
    tables
        |> reduce(
            identity: {_isFirst: true, _lat: 0.0, _lon: 0.0, _sum: 0.0},
            fn: (r, accumulator) =>
                ({
                    _isFirst: false,
                    _lat: r.lat,
                    _lon: r.lon,
                    _sum:
                        if accumulator._isFirst then
                            0.0
                        else
                            accumulator._sum + ST_Distance(
                                    region: {lat: accumulator._lat, lon: accumulator._lon},
                                    geometry: {lat: r.lat, lon: r.lon},
                                ),
                }),
        )
        |> drop(columns: ["_isFirst", "_lat", "_lon"])
        |> rename(columns: {_sum: outputColumn})

package sample

import "array"

_host = "https://influx-testdata.s3.amazonaws.com/"

_sets = [
    {
        name: "airSensor",
        description: "Simulated air sensors of an office: temperature, humidity, carbon monoxide.",
        url: _host + "air-sensor-data-annotated.csv",
        size: "~600 KB",
        type: "live",
    },
    {
        name: "birdMigration",
        description: "Tracks of migrating birds in Africa, 2019 (Movebank).",
        url: _host + "bird-migration.csv",
        size: "~1.2 MB",
        type: "static",
    },
    {
        name: "bitcoin",
        description: "The price of Bitcoin over the last 30 days (CoinDesk).",
        url: _host + "bitcoin-historical-annotated.csv",
        size: "~700 KB",
        type: "live",
    },
    {
        name: "machineProduction",
        description: "States and figures of four grinding stations of a production line, 2021-08-01.",
        url: _host + "machine-production.csv",
        size: "~11.9 MB",
        type: "static",
    },
    {
        name: "noaa",
        description: "Latest observations of buoys (NOAA National Data Buoy Center).",
        url: _host + "noaa-ndbc-latest-observations-annotated.csv",
        size: "~1.3 MB",
        type: "live",
    },
    {
        name: "noaaWater",
        description: "Water levels at two stations (NOAA), August and September 2019.",
        url: _host + "noaa.csv",
        size: "~10.3 MB",
        type: "static",
    },
    {
        name: "usgs",
        description: "Earthquakes of the last week (USGS).",
        url: _host + "usgs-earthquake-all-week-annotated.csv",
        size: "~6 MB",
        type: "live",
    },
]

list = () => array.from(rows: _sets)

data = (set) => _data(set: set, sets: _sets)

alignToNow = (tables=<-) => {
    newest = tables
        |> keep(columns: ["_time"])
        |> last(column: "_time")
        |> findRecord(fn: (key) => true, idx: 0)
    behind = int(v: now()) - int(v: newest._time)

    return tables |> timeShift(duration: duration(v: behind))
}

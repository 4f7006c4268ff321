// The package `experimental/oee`: the overall effectiveness of equipment, out of how long it ran, how much it
// made meanwhile, and how much of that was good.

package oee

import "contrib/tomhollingworth/events"
import "experimental"

_nanoseconds = (d) => float(v: int(v: d))

_produced = (tables=<-, column) =>
    tables
        |> difference(columns: [column], nonNegative: true)
        |> sum(column: column)
        |> duplicate(column: "_stop", as: "_time")

computeAPQ = (productionEvents, partEvents, runningState, plannedTime, idealCycleTime) => {
    running =
        productionEvents
            |> events.duration(unit: 1ns, columnName: "runTime")
            |> filter(fn: (r) => r.state == runningState)
            |> sum(column: "runTime")
            |> map(
                fn: (r) =>
                    ({r with
                        _time: r._stop,
                        availability: float(v: r.runTime) / _nanoseconds(d: plannedTime),
                    }),
            )
    parts = partEvents |> _produced(column: "partCount")
    bad = partEvents |> _produced(column: "badCount")
    timed =
        experimental.join(
            left: running,
            right: parts,
            fn: (left, right) =>
                ({left with
                    performance:
                        float(v: right.partCount) * _nanoseconds(d: idealCycleTime) / float(v: left.runTime),
                }),
        )
    graded =
        experimental.join(
            left: bad,
            right: parts,
            fn: (left, right) =>
                ({left with
                    quality:
                        (float(v: right.partCount) - float(v: left.badCount)) / float(v: right.partCount),
                }),
        )

    return
        experimental.join(
            left: timed,
            right: graded,
            fn: (left, right) =>
                ({left with
                    quality: right.quality,
                    oee: left.availability * left.performance * right.quality,
                }),
        )
}

APQ = (tables=<-, runningState, plannedTime, idealCycleTime) =>
    computeAPQ(
        productionEvents: tables,
        partEvents: tables,
        runningState: runningState,
        plannedTime: plannedTime,
        idealCycleTime: idealCycleTime,
    )

// The package `contrib/anaisdg/statsmodels`: a straight line through the values of a table in their order, by
// least squares, and how far each value lies from it.

package statsmodels

linearRegression = (tables=<-) => {
    points =
        tables
            |> rename(columns: {_value: "y"})
            |> map(fn: (r) => ({r with x: 1.0}))
            |> cumulativeSum(columns: ["x"])
    sums =
        points
            |> reduce(
                identity: {sx: 0.0, sy: 0.0, sxy: 0.0, sxx: 0.0, N: 0.0},
                fn: (r, accumulator) =>
                    ({
                        sx: accumulator.sx + r.x,
                        sy: accumulator.sy + r.y,
                        sxy: accumulator.sxy + r.x * r.y,
                        sxx: accumulator.sxx + r.x * r.x,
                        N: accumulator.N + 1.0,
                    }),
            )
            |> tableFind(fn: (key) => true)
            |> getRecord(idx: 0)
    xMean = sums.sx / sums.N
    yMean = sums.sy / sums.N
    slope = (sums.sxy - xMean * yMean * sums.N) / (sums.sxx - sums.N * xMean * xMean)
    intercept = yMean - slope * xMean

    return
        points
            |> map(
                fn: (r) =>
                    ({r with
                        y_hat: slope * r.x + intercept,
                        slope: slope,
                        sx: sums.sx,
                        sxy: sums.sxy,
                        sxx: sums.sxx,
                        N: sums.N,
                        sy: sums.sy,
                    }),
            )
            |> map(fn: (r) => ({r with errors: (r.y - r.y_hat) ^ 2.0}))
}

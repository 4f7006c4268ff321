// The package `experimental/prometheus`: what a Prometheus endpoint tells, and quantiles of histograms that were
// scraped from one, in both forms in which the buckets of a histogram are stored.

package prometheus

import "experimental"
import "universe"

_quantileOf = (tables=<-, quantile, onNonmonotonic) =>
    tables
        |> universe.histogramQuantile(quantile: quantile, onNonmonotonic: onNonmonotonic)
        |> group(mode: "except", columns: ["le", "_value", "_time"])
        |> set(key: "quantile", value: string(v: quantile))
        |> experimental.group(columns: ["quantile"], mode: "extend")

// Version 1 has a field for each bucket, named by its bound.
_boundsInFields = (tables=<-) =>
    tables
        |> filter(fn: (r) => r._field != "sum" and r._field != "count")
        |> map(fn: (r) => ({r with le: float(v: r._field)}))
        |> group(mode: "except", columns: ["_field", "le", "_value"])

// Version 2 has the bounds in a tag.
_boundsInTags = (tables=<-) =>
    tables
        |> group(mode: "except", columns: ["le", "_value"])
        |> map(fn: (r) => ({r with le: float(v: r.le)}))

histogramQuantile = (tables=<-, quantile, metricVersion=2, onNonmonotonic="error") =>
    if metricVersion == 2 then
        tables |> _boundsInTags() |> _quantileOf(quantile: quantile, onNonmonotonic: onNonmonotonic)
    else if metricVersion == 1 then
        tables |> _boundsInFields() |> _quantileOf(quantile: quantile, onNonmonotonic: onNonmonotonic)
    else
        universe.die(msg: "Invalid metricVersion. Available versions are 1 and 2.")

// The package `contrib/RohanSreerama5/naiveBayesClassifier`: how probable each class is for the values of one
// day, after what was seen on the days behind it. The days, the first week of 2020, and the column `airborne`
// that counts the values are fixed: the package was written for one example, and its users know it that way.

package naiveBayesClassifier

_observed = (tables=<-, measurement, field, start, stop) =>
    tables
        |> range(start: start, stop: stop)
        |> filter(fn: (r) => r["_measurement"] == measurement and r["_field"] == field)
        |> group()

// One row for each pair of a class and a value, with the share of that value within its class.
_valuesWithinClass = (P_k_x, P_Class_k, myClass) =>
    join(tables: {P_k_x: P_k_x, P_Class_k: P_Class_k}, on: [myClass], method: "inner")
        |> group(columns: [myClass, "_value_P_k_x"])
        |> limit(n: 1)
        |> map(fn: (r) => ({r with P_x_k: r.sum / float(v: r._value_P_Class_k)}))
        |> drop(columns: ["_field_P_Class_k", "_value_P_Class_k"])
        |> rename(columns: {_field_P_k_x: "_field", _value_P_k_x: "_value"})

naiveBayes = (tables=<-, myClass, myField, myMeasurement) => {
    training =
        tables
            |> _observed(
                measurement: myMeasurement,
                field: myField,
                start: 2020-01-02T00:00:00Z,
                stop: 2020-01-06T23:00:00Z,
            )
    test =
        tables
            |> _observed(
                measurement: myMeasurement,
                field: myField,
                start: 2020-01-01T00:00:00Z,
                stop: 2020-01-01T23:00:00Z,
            )
    counted =
        training
            |> group(columns: ["_field"])
            |> count()
            |> tableFind(fn: (key) => key._field == myField)
            |> getRecord(idx: 0)
    total = counted._value
    ofClass =
        training
            |> group(columns: [myClass, "_field"])
            |> count()
            |> map(fn: (r) => ({r with p_k: float(v: r._value) / float(v: total), tc: total}))
            |> group()
    ofValue =
        training
            |> group(columns: ["_value", "_field"])
            |> count(column: myClass)
            |> map(fn: (r) => ({r with p_x: float(v: r.airborne) / float(v: total), tc: total}))
    ofBoth =
        training
            |> group(columns: ["_field", "_value", myClass])
            |> reduce(identity: {sum: 0.0}, fn: (r, accumulator) => ({sum: accumulator.sum + 1.0}))
            |> group()
    P_k_x_class = _valuesWithinClass(P_k_x: ofBoth, P_Class_k: ofClass, myClass: myClass)
    probabilities =
        join(
            tables: {P_k_x_class: P_k_x_class, P_value_x: ofValue},
            on: ["_value", "_field"],
            method: "inner",
        )
            |> map(fn: (r) => ({r with Probability: r.P_x_k * r.p_k / r.p_x}))

    return
        join(
            tables: {
                Probability_table: probabilities,
                r: test |> keep(columns: ["_value", "Animal_name", "_field"]),
            },
            on: ["_value"],
            method: "inner",
        )
}

// The package `join`: one function does the work, the others are it with a method or a condition
// already chosen.

package join

time = (left=<-, right, as, method="inner") =>
    tables(left: left, right: right, on: (l, r) => l._time == r._time, as: as, method: method)

inner = (left=<-, right, on, as) =>
    tables(left: left, right: right, on: on, as: as, method: "inner")

full = (left=<-, right, on, as) =>
    tables(left: left, right: right, on: on, as: as, method: "full")

left = (left=<-, right, on, as) =>
    tables(left: left, right: right, on: on, as: as, method: "left")

right = (left=<-, right, on, as) =>
    tables(left: left, right: right, on: on, as: as, method: "right")

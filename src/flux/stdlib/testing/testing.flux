// The package `testing`: what scripts that test scripts are written with. A difference is a row in the
// result `errorOutput`.

package testing

import "array"
import "experimental"

option tags = []
option load = (tables=<-) => tables

diff = (got=<-, want, verbose=false, epsilon=0.000001, nansEqual=false) =>
    experimental.diff(got: got, want: want) |> yield(name: "errorOutput")

assertEqualValues = (got, want) =>
    diff(got: array.from(rows: [{v: got}]), want: array.from(rows: [{v: want}]))

shouldError = (fn, want) => {
    caught = experimental.catch(fn: fn)

    return
        if exists caught.msg then
            array.from(rows: [{v: caught.msg}])
                |> filter(fn: (r) => r.v !~ want)
                |> yield(name: "errorOutput")
        else
            die(msg: "shouldError expected an error")
}

// The package `internal/testing`: assertions about errors
// and texts, beside those of `testing`.

package testing

import "array"
import "experimental"
import "regexp"
import "testing"

shouldErrorWithCode = (fn, want, code) => {
    caught = experimental.catch(fn: fn)

    return
        if exists caught.msg then
            testing.diff(
                got: array.from(rows: [{code: caught.code, isMatch: caught.msg =~ want}]),
                want: array.from(rows: [{code: code, isMatch: true}]),
            )
        else
            die(msg: "shouldErrorWithCode expected an error")
}

assertMatches = (got, want) =>
    if got =~ want then
        testing.assertEqualValues(got: true, want: true)
    else
        die(msg: "Regex `${regexp.getString(r: want)}` does not match `${got}`")

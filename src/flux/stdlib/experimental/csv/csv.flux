// The package `experimental/csv`: annotated CSV from a URL. Which URLs may be asked is not decided here.
// The whole text is read before the first table comes.

package csv

import texts "csv"
import "experimental/http"

from = (url) => {
    answer = http.get(url: url)

    return texts.from(csv: string(v: answer.body))
}

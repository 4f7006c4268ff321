package experimental

import "date"

addDuration = (d, to, location=location) => date.add(d: d, to: to, location: location)
subDuration = (d, from, location=location) => date.sub(d: d, from: from, location: location)

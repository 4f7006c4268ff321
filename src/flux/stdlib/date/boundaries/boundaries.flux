// The package `date/boundaries`, the name that `experimental/date/boundaries` had before: its functions only say where
// they went.

package boundaries

_moved = () => die(msg: "the 'date/boundaries' package has been moved to 'experimental/date/boundaries'")
yesterday = () => ({start: _moved(), stop: today()})
monday = () => ({start: _moved(), stop: today()})
tuesday = () => ({start: _moved(), stop: today()})
wednesday = () => ({start: _moved(), stop: today()})
thursday = () => ({start: _moved(), stop: today()})
friday = () => ({start: _moved(), stop: today()})
saturday = () => ({start: _moved(), stop: today()})
sunday = () => ({start: _moved(), stop: today()})
month = (month_offset=0) => ({start: _moved(), stop: today()})
week = (week_offset=0, start_sunday=false) => ({start: _moved(), stop: today()})

// The package `experimental/date/boundaries`: where days, weeks and months begin and end, seen from today.

package boundaries

import "date"

_span = (start, d) => ({start: start, stop: date.add(d: d, to: start)})
_daysBack = (n) => date.truncate(t: date.sub(d: date.scale(d: 1d, n: n), from: today()), unit: 1d)
_daysSince = (weekDay) => (date.weekDay(t: today()) - weekDay + 7) % 7

// The last such day before today.
_before = (weekDay) => _daysBack(n: (_daysSince(weekDay: weekDay) + 6) % 7 + 1)

yesterday = () => ({start: date.sub(d: 1d, from: today()), stop: today()})
sunday = () => _span(start: _before(weekDay: date.Sunday), d: 1d)
monday = () => _span(start: _before(weekDay: date.Monday), d: 1d)
tuesday = () => _span(start: _before(weekDay: date.Tuesday), d: 1d)
wednesday = () => _span(start: _before(weekDay: date.Wednesday), d: 1d)
thursday = () => _span(start: _before(weekDay: date.Thursday), d: 1d)
friday = () => _span(start: _before(weekDay: date.Friday), d: 1d)
saturday = () => _span(start: _before(weekDay: date.Saturday), d: 1d)

month = (month_offset=0) => {
    thisMonth = date.truncate(t: today(), unit: 1mo)

    return _span(start: date.add(d: date.scale(d: 1mo, n: month_offset), to: thisMonth), d: 1mo)
}

week = (week_offset=0, start_sunday=false) => {
    first = if start_sunday then date.Sunday else date.Monday
    thisWeek = _daysBack(n: _daysSince(weekDay: first))

    return _span(start: date.add(d: date.scale(d: 1w, n: week_offset), to: thisWeek), d: 1w)
}

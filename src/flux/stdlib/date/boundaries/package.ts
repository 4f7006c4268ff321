// The package `experimental/date/boundaries`: where days, weeks and months begin and end, seen from
// today. `date/boundaries` is its name from before, whose functions only say where they went.

import type { PackageDefinition } from '../../define.js'

const names = [
  ...['yesterday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'],
]

function weekDayFunctions(): string {
  const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
  return days
    .map((day) => `${day.toLowerCase()} = () => _span(start: _before(weekDay: date.${day}), d: 1d)`)
    .join('\n')
}

export const boundariesPackage: PackageDefinition = {
  path: 'experimental/date/boundaries',
  name: 'boundaries',
  builtins: [],
  source: `package boundaries

import "date"

_span = (start, d) => ({start: start, stop: date.add(d: d, to: start)})
_daysBack = (n) => date.truncate(t: date.sub(d: date.scale(d: 1d, n: n), from: today()), unit: 1d)
_daysSince = (weekDay) => (date.weekDay(t: today()) - weekDay + 7) % 7

// The last such day before today.
_before = (weekDay) => _daysBack(n: (_daysSince(weekDay: weekDay) + 6) % 7 + 1)

yesterday = () => ({start: date.sub(d: 1d, from: today()), stop: today()})
${weekDayFunctions()}

month = (month_offset=0) => {
    thisMonth = date.truncate(t: today(), unit: 1mo)

    return _span(start: date.add(d: date.scale(d: 1mo, n: month_offset), to: thisMonth), d: 1mo)
}

week = (week_offset=0, start_sunday=false) => {
    first = if start_sunday then date.Sunday else date.Monday
    thisWeek = _daysBack(n: _daysSince(weekDay: first))

    return _span(start: date.add(d: date.scale(d: 1w, n: week_offset), to: thisWeek), d: 1w)
}
`,
}

const moved = "the 'date/boundaries' package has been moved to 'experimental/date/boundaries'"

export const oldBoundariesPackage: PackageDefinition = {
  path: 'date/boundaries',
  name: 'boundaries',
  builtins: [],
  source: `package boundaries

_moved = () => die(msg: "${moved}")
${names.map((name) => `${name} = () => ({start: _moved(), stop: today()})`).join('\n')}
month = (month_offset=0) => ({start: _moved(), stop: today()})
week = (week_offset=0, start_sunday=false) => ({start: _moved(), stop: today()})
`,
}

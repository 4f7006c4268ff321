// A small library for tests of the checker: signatures as the real one has them, but few enough to be
// read beside the tests, and not changed by whoever works on the real ones.

import { constant, type Definition, native } from '../../src/flux/package/define.js'
import { Package } from '../../src/flux/package/package.js'
import { TypeLibrary } from '../../src/flux/types/library.js'

type Types = Readonly<Record<string, string>>

function packageWith(path: string, types: Types, source?: string): Package {
  const builtins = Object.fromEntries(
    Object.entries(types).map(([builtin, type]) => [builtin, definitionOf(type)]),
  )
  return new Package(path, builtins, source)
}

function definitionOf(type: string): Definition {
  return type.includes('=>') ? native(type, () => null) : constant(type, null)
}

const universe = packageWith(
  'universe',
  {
    inf: 'duration',
    range:
      '(<-tables: stream[{A with _time: time}], start: B, ?stop: C) =>' +
      ' stream[{A with _time: time, _start: time, _stop: time}]',
    filter:
      '(<-tables: stream[A], fn: (r: A) => bool, ?onEmpty: string) => stream[A] where A: Record',
    map: '(<-tables: stream[A], fn: (r: A) => B, ?mergeKey: bool) => stream[B]',
    limit: '(<-tables: stream[A], n: int, ?offset: int) => stream[A]',
    mean: '(<-tables: stream[A], ?column: string) => stream[B] where A: Record, B: Record',
    window:
      '(<-tables: stream[A], every: duration, ?createEmpty: bool) => stream[B] where A: Record, B: Record',
    drop:
      '(<-tables: stream[A], ?columns: [string], ?fn: (column: string) => bool) => stream[B]' +
      ' where A: Record, B: Record',
    yield: '(<-tables: stream[A], ?name: string) => stream[A] where A: Record',
    length: '(arr: [A]) => int',
    contains: '(set: [A], value: A) => bool where A: Nullable',
    string: '(v: A) => string where A: Basic',
    int: '(v: A) => int where A: Basic',
    display: '(v: A) => string',
    time: '(v: A) => time where A: Basic',
    relabel:
      '(<-tables: stream[{A with L: B}], ?column: L = ._value) => stream[{A with L: string}] where L: Label',
    asArray: '(v: dynamic) => [dynamic]',
  },
  `
import "system"

option now = system.time

windowMean = (every, tables=<-) => tables |> window(every: every) |> mean()
`,
)

const definitions = [
  universe,
  packageWith('system', { time: '() => time' }),
  packageWith('influxdata/influxdb', {
    from:
      '(?bucket: string, ?bucketID: string) =>' +
      ' stream[{A with _measurement: string, _field: string, _time: time, _value: B}]',
  }),
  packageWith('array', {
    from: '(<-rows: [A]) => stream[A] where A: Record',
    map: '(<-arr: [A], fn: (x: A) => B) => [B]',
  }),
  packageWith('strings', {
    joinStr: '(arr: [string], v: string) => string',
    toUpper: '(v: string) => string',
  }),
  packageWith('path/to/units', {}, 'option factors = [1.0]\nconvert = (v, by=2.0) => v * by'),
]

export const testLibrary = new TypeLibrary((path) =>
  definitions.find((definition) => definition.path === path),
)

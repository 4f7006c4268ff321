// An example or more for each function of values, of the universe and of the packages that scripts use most: what the
// documentation says must come out, as `display` shows it.

import { describe, expect, test } from 'vitest'
import { fluxError, runRows } from './run-flux.js'

const ints = 'sampledata.int()'

/** `[what, as text]`: each in a script of its own, shown as `display` has it. */
const scalars: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    'universe',
    [
      ['length(arr: [1, 2, 3])', '3'],
      ['contains(value: 2, set: [1, 2])', 'true'],
      ['linearBins(start: 0.0, width: 5.0, count: 3, infinity: false)', '[0, 5, 10]'],
      ['logarithmicBins(start: 1.0, factor: 10.0, count: 3, infinity: false)', '[1, 10, 100]'],
      ['int(v: 12.9)', '12'],
      ['int(v: 1970-01-01T00:00:01Z)', '1000000000'],
      ['uint(v: "7")', '7'],
      ['float(v: "12.5")', '12.5'],
      ['bool(v: "true")', 'true'],
      ['bool(v: 0)', 'false'],
      ['string(v: 1h30m)', '1h30m'],
      ['time(v: 0)', '1970-01-01T00:00:00.000000000Z'],
      ['duration(v: 60000000000)', '1m'],
      ['string(v: bytes(v: "hi"))', 'hi'],
      ['display(v: {a: 1, b: "x"})', '{a: 1, b: x}'],
      ['today()', '2030-01-01T00:00:00.000000000Z'],
      ['now()', '2030-01-01T00:00:00.000000000Z'],
      [
        `(${ints} |> findColumn(fn: (key) => key.tag == "t1", column: "_value"))`,
        '[\n    -2,\n    10,\n    7,\n    17,\n    15,\n    4\n]',
      ],
      [`(${ints} |> findRecord(fn: (key) => key.tag == "t2", idx: 2))._value`, '-3'],
      [
        `(${ints} |> tableFind(fn: (key) => key.tag == "t1") |> getColumn(column: "_value"))[1]`,
        '10',
      ],
      [`(${ints} |> tableFind(fn: (key) => key.tag == "t1") |> getRecord(idx: 0)).tag`, 't1'],
    ],
  ],
  [
    'array',
    [
      ['array.concat(arr: [1], v: [2, 3])', '[1, 2, 3]'],
      ['array.filter(arr: [1, 2, 3], fn: (x) => x > 1)', '[2, 3]'],
      ['array.map(arr: [1, 2], fn: (x) => x * 10)', '[10, 20]'],
    ],
  ],
  [
    'experimental/array',
    [
      ['arrays.toString(arr: [1, 2])', '[1, 2]'],
      ['arrays.toInt(arr: ["4", "5"])', '[4, 5]'],
      ['arrays.toFloat(arr: [1])', '[1]'],
      ['arrays.toBool(arr: ["true"])', '[true]'],
    ],
  ],
  [
    'bitwise',
    [
      ['bitwise.sand(a: 12, b: 10)', '8'],
      ['bitwise.sor(a: 12, b: 10)', '14'],
      ['bitwise.sxor(a: 12, b: 10)', '6'],
      ['bitwise.sclear(a: 12, b: 10)', '4'],
      ['bitwise.snot(a: 12)', '-13'],
      ['bitwise.slshift(a: 3, b: 2)', '12'],
      ['bitwise.srshift(a: 12, b: 2)', '3'],
      ['bitwise.uand(a: uint(v: 12), b: uint(v: 10))', '8'],
      ['bitwise.unot(a: uint(v: 0))', '18446744073709551615'],
    ],
  ],
  [
    'date',
    [
      ['date.nanosecond(t: 2021-03-04T05:06:07.000000008Z)', '8'],
      ['date.microsecond(t: 2021-03-04T05:06:07.000009Z)', '9'],
      ['date.millisecond(t: 2021-03-04T05:06:07.5Z)', '500'],
      ['date.second(t: 2021-03-04T05:06:07Z)', '7'],
      ['date.minute(t: 2021-03-04T05:06:07Z)', '6'],
      ['date.hour(t: 2021-03-04T05:06:07Z)', '5'],
      ['date.weekDay(t: 2021-03-04T05:06:07Z)', '4'],
      ['date.monthDay(t: 2021-03-04T05:06:07Z)', '4'],
      ['date.yearDay(t: 2021-03-04T05:06:07Z)', '63'],
      ['date.month(t: 2021-03-04T05:06:07Z)', '3'],
      ['date.quarter(t: 2021-03-04T05:06:07Z)', '1'],
      ['date.week(t: 2021-03-04T05:06:07Z)', '9'],
      ['date.year(t: 2021-03-04T05:06:07Z)', '2021'],
      ['date.truncate(t: 2021-03-04T05:06:07Z, unit: 1h)', '2021-03-04T05:00:00.000000000Z'],
      ['date.add(d: 1mo, to: 2021-01-31T00:00:00Z)', '2021-02-28T00:00:00.000000000Z'],
      ['date.sub(d: 1h, from: 2021-01-01T00:30:00Z)', '2020-12-31T23:30:00.000000000Z'],
      ['date.scale(d: 1h, n: 3)', '3h'],
      ['date.time(t: -1h)', '2029-12-31T23:00:00.000000000Z'],
    ],
  ],
  [
    'dict',
    [
      ['dict.get(dict: ["a": 1], key: "a", default: 0)', '1'],
      ['dict.get(dict: dict.remove(dict: ["a": 1], key: "a"), key: "a", default: 0)', '0'],
      [
        'dict.get(dict: dict.insert(dict: ["a": 1], key: "b", value: 2), key: "b", default: 0)',
        '2',
      ],
      ['dict.get(dict: dict.fromList(pairs: [{key: 1, value: "x"}]), key: 1, default: "")', 'x'],
    ],
  ],
  ['json', [['string(v: json.encode(v: {a: 1, b: ["x"]}))', '{"a":1,"b":["x"]}']]],
  [
    'math',
    [
      ['math.abs(x: -1.5)', '1.5'],
      ['math.ceil(x: 1.2)', '2'],
      ['math.floor(x: -1.2)', '-2'],
      ['math.round(x: 2.5)', '3'],
      ['math.roundtoeven(x: 2.5)', '2'],
      ['math.trunc(x: -2.7)', '-2'],
      ['math.sqrt(x: 9.0)', '3'],
      ['math.cbrt(x: 27.0)', '3'],
      ['math.pow(x: 2.0, y: 10.0)', '1024'],
      ['math.exp(x: 0.0)', '1'],
      ['math.exp2(x: 3.0)', '8'],
      ['math.log2(x: 8.0)', '3'],
      ['math.log10(x: 1000.0)', '3'],
      ['math.log(x: 1.0)', '0'],
      ['math.hypot(p: 3.0, q: 4.0)', '5'],
      ['math.mod(x: 7.0, y: 4.0)', '3'],
      ['math.mMax(x: 1.0, y: 2.0)', '2'],
      ['math.mMin(x: 1.0, y: 2.0)', '1'],
      ['math.dim(x: 5.0, y: 2.0)', '3'],
      ['math.copysign(x: 1.0, y: -2.0)', '-1'],
      ['math.sin(x: 0.0)', '0'],
      ['math.cos(x: 0.0)', '1'],
      ['math.atan2(y: 0.0, x: 1.0)', '0'],
      ['math.gamma(x: 5.0)', '24'],
      ['math.isNaN(f: math.NaN())', 'true'],
      ['math.isInf(f: math.mInf(sign: 1), sign: 1)', 'true'],
      ['math.signbit(x: -1.0)', 'true'],
      ['math.frexp(f: 8.0).exp', '4'],
      ['math.modf(f: 2.5).int', '2'],
      ['math.ldexp(frac: 0.5, exp: 4)', '8'],
    ],
  ],
  [
    'regexp',
    [
      ['regexp.matchRegexpString(r: regexp.compile(v: "^a+$"), v: "aaa")', 'true'],
      ['regexp.findString(r: /b+/, v: "abbc")', 'bb'],
      ['regexp.findStringIndex(r: /b+/, v: "abbc")', '[1, 3]'],
      ['regexp.replaceAllString(r: /b/, v: "abbc", t: "x")', 'axxc'],
      ['regexp.splitRegexp(r: /,\\s*/, v: "a, b,c", i: -1)', '[a, b, c]'],
      ['regexp.quoteMeta(v: "a.b")', 'a\\.b'],
      ['regexp.getString(r: /a.b/)', 'a.b'],
    ],
  ],
  [
    'strings',
    [
      ['strings.title(v: "a big cat")', 'A Big Cat'],
      ['strings.toUpper(v: "koala")', 'KOALA'],
      ['strings.toLower(v: "KOALA")', 'koala'],
      ['strings.toTitle(v: "koala")', 'KOALA'],
      ['strings.trim(v: "..a..", cutset: ".")', 'a'],
      ['strings.trimLeft(v: "..a..", cutset: ".")', 'a..'],
      ['strings.trimRight(v: "..a..", cutset: ".")', '..a'],
      ['strings.trimPrefix(v: "123_abc", prefix: "123")', '_abc'],
      ['strings.trimSuffix(v: "abc_123", suffix: "123")', 'abc_'],
      ['strings.trimSpace(v: "  a ")', 'a'],
      ['strings.hasPrefix(v: "go gopher", prefix: "go")', 'true'],
      ['strings.hasSuffix(v: "go gopher", suffix: "go")', 'false'],
      ['strings.containsStr(v: "seafood", substr: "foo")', 'true'],
      ['strings.containsAny(v: "failure", chars: "ux")', 'true'],
      ['strings.equalFold(v: "Go", t: "GO")', 'true'],
      ['strings.compare(v: "a", t: "b")', '-1'],
      ['strings.countStr(v: "cheese", substr: "e")', '3'],
      ['strings.index(v: "chicken", substr: "ken")', '4'],
      ['strings.lastIndex(v: "go gopher", substr: "go")', '3'],
      ['strings.indexAny(v: "golang", chars: "ny")', '4'],
      ['strings.isDigit(v: "7")', 'true'],
      ['strings.isLetter(v: "7")', 'false'],
      ['strings.isUpper(v: "A")', 'true'],
      ['strings.isLower(v: "A")', 'false'],
      ['strings.repeat(v: "ha", i: 3)', 'hahaha'],
      ['strings.replace(v: "oink oink oink", t: "oink", u: "moo", i: 2)', 'moo moo oink'],
      ['strings.replaceAll(v: "oink oink", t: "k", u: "ky")', 'oinky oinky'],
      ['strings.split(v: "a, b", t: ", ")', '[a, b]'],
      ['strings.splitN(v: "a,b,c", t: ",", i: 2)', '[a, b,c]'],
      ['strings.splitAfter(v: "a,b", t: ",")', '[a,, b]'],
      ['strings.joinStr(arr: ["a", "b"], v: "-")', 'a-b'],
      ['strings.strlen(v: "häh")', '3'],
      ['strings.substring(v: "influx", start: 1, end: 4)', 'nfl'],
    ],
  ],
  [
    'timezone',
    [
      ['timezone.fixed(offset: -8h).zone', 'UTC'],
      ['timezone.location(name: "Europe/Berlin").zone', 'Europe/Berlin'],
    ],
  ],
  [
    'types',
    [
      ['types.isType(v: 1.0, type: "float")', 'true'],
      ['types.isNumeric(v: "1")', 'false'],
    ],
  ],
]

describe.each(scalars)('%s', (name, examples) => {
  test.each(examples)('%s', async (expression, expected) => {
    const own = name === 'universe' || name === 'array' ? [] : [name]
    const imports = ['array', 'sampledata', ...own].map((path) => `"${path}"`)
    const lines = imports
      .map((path) => `import ${path === '"experimental/array"' ? 'arrays ' : ''}${path}`)
      .join('\n')
    const script = `${lines}\narray.from(rows: [{v: display(v: ${expression})}])`
    expect(await runRows(script)).toEqual([{ v: expected }])
  })
})

test('die ends the script with its words', async () => {
  expect(await fluxError('die(msg: "no more")')).toContain('no more')
})

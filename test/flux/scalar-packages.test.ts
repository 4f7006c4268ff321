// The packages of plain values, call by call: what the documentation and Go's own functions say they
// give. Each expression is the only cell of a table.

import { describe, expect, it } from 'vitest'
import type { Cell } from '../../src/query/table.js'
import { fluxError, runRows } from './run-flux.js'

type Case = readonly [expression: string, value: Cell | null]

const day = 86_400_000_000_000n
const at = (text: string): bigint => BigInt(Date.parse(text)) * 1_000_000n

const strings: readonly Case[] = [
  ['strings.title(v: "a flux of foxes, the_end x-y")', 'A Flux Of Foxes, The_end X-Y'],
  ['strings.toUpper(v: "straße é")', 'STRAßE É'],
  ['strings.toLower(v: "ÀB")', 'àb'],
  ['strings.trim(v: ".abc..", cutset: ".")', 'abc'],
  ['strings.trimLeft(v: "..abc..", cutset: ".")', 'abc..'],
  ['strings.trimRight(v: "..abc..", cutset: ".c")', '..ab'],
  ['strings.trimSpace(v: " \\t\\n a b \\r")', 'a b'],
  ['strings.trimPrefix(v: "123_abc", prefix: "123")', '_abc'],
  ['strings.trimSuffix(v: "abc_123", suffix: "123")', 'abc_'],
  ['strings.hasPrefix(v: "go gopher", prefix: "go")', true],
  ['strings.hasSuffix(v: "go gopher", suffix: "go")', false],
  ['strings.containsStr(v: "abc", substr: "bc")', true],
  ['strings.containsAny(v: "abc", chars: "xyc")', true],
  ['strings.equalFold(v: "Go", t: "GO")', true],
  ['strings.compare(v: "b", t: "a")', 1n],
  ['strings.compare(v: "a", t: "a")', 0n],
  ['strings.countStr(v: "hello mellow", substr: "l")', 4n],
  ['strings.countStr(v: "häl", substr: "")', 4n],
  ['strings.index(v: "äb", substr: "b")', 2n],
  ['strings.indexAny(v: "chicken", chars: "aeiouy")', 2n],
  ['strings.lastIndex(v: "go gopher", substr: "go")', 3n],
  ['strings.lastIndexAny(v: "chicken", chars: "aeiouy")', 5n],
  ['strings.isDigit(v: "7")', true],
  ['strings.isLetter(v: "7")', false],
  ['strings.isLower(v: "a")', true],
  ['strings.isUpper(v: "a")', false],
  ['strings.repeat(v: "ha", i: 3)', 'hahaha'],
  ['strings.replace(v: "oink oink oink", t: "oink", u: "moo", i: 2)', 'moo moo oink'],
  ['strings.replace(v: "ab", t: "", u: "-", i: -1)', '-a-b-'],
  ['strings.replace(v: "ab", t: "", u: "-", i: 2)', '-a-b'],
  ['strings.replaceAll(v: "a$b$", t: "$", u: "$&")', 'a$&b$&'],
  ['strings.joinStr(arr: strings.split(v: "a b c", t: " "), v: ",")', 'a,b,c'],
  ['strings.joinStr(arr: strings.splitAfter(v: "a b c", t: " "), v: ",")', 'a ,b ,c'],
  ['strings.joinStr(arr: strings.splitN(v: "a b c", t: " ", i: 2), v: ",")', 'a,b c'],
  ['strings.joinStr(arr: strings.splitAfterN(v: "a b c", t: " ", i: 2), v: ",")', 'a ,b c'],
  ['strings.joinStr(arr: strings.split(v: "a😀b", t: ""), v: ",")', 'a,😀,b'],
  ['strings.strlen(v: "a😀ä")', 3n],
  ['strings.substring(v: "😀influx", start: 1, end: 5)', 'infl'],
  ['strings.substring(v: "influx", start: -1, end: 99)', 'influx'],
]

const dates: readonly Case[] = [
  ['date.second(t: 2020-02-11T12:21:03.293534940Z)', 3n],
  ['date.minute(t: 2020-02-11T12:21:03Z)', 21n],
  ['date.hour(t: 2020-02-11T12:21:03Z)', 12n],
  ['date.hour(t: 2020-02-11T12:21:03Z, location: timezone.location(name: "Asia/Kolkata"))', 17n],
  ['date.weekDay(t: 2020-02-11T12:21:03Z)', 2n],
  ['date.monthDay(t: 2020-02-11T12:21:03Z)', 11n],
  ['date.yearDay(t: 2020-12-31T00:00:00Z)', 366n],
  ['date.week(t: 2021-01-03T00:00:00Z)', 53n],
  ['date.week(t: 2021-01-04T00:00:00Z)', 1n],
  ['date.month(t: 1969-12-31T23:59:59Z)', 12n],
  ['date.quarter(t: 2020-08-01T00:00:00Z)', 3n],
  ['date.year(t: 1969-12-31T23:59:59Z)', 1969n],
  ['date.millisecond(t: 2020-02-11T12:21:03.293534940Z)', 293n],
  ['date.microsecond(t: 2020-02-11T12:21:03.293534940Z)', 293_534n],
  ['date.nanosecond(t: 2020-02-11T12:21:03.293534940Z)', 293_534_940n],
  ['date.add(d: 1mo, to: 2020-01-31T00:00:00Z)', at('2020-02-29')],
  ['date.sub(d: 1mo, from: 2021-03-31T00:00:00Z)', at('2021-02-28')],
  ['date.truncate(t: 2019-06-03T13:59:01Z, unit: 1h)', at('2019-06-03T13:00:00Z')],
  ['date.truncate(t: 2019-06-03T13:59:01Z, unit: 1y)', at('2019-01-01')],
  ['date.truncate(t: -1d, unit: 1d)', at('2030-01-01') - day],
  ['int(v: date.scale(d: 2h, n: -3))', -21_600_000_000_000n],
  ['date.December', 12n],
]

const plain: readonly Case[] = [
  ['regexp.findString(r: /foo.?/, v: "seafood fool")', 'food'],
  ['regexp.findString(r: /x/, v: "abc")', ''],
  ['length(arr: regexp.findStringIndex(r: /x/, v: "abc"))', 0n],
  ['regexp.findStringIndex(r: /b+/, v: "äabb")[0]', 3n],
  ['regexp.matchRegexpString(r: /(gopher){2}/, v: "gophergophergopher")', true],
  ['regexp.replaceAllString(r: /a(x*)b/, v: "-ab-axxb-", t: "<$1>")', '-<>-<xx>-'],
  [
    'strings.joinStr(arr: regexp.splitRegexp(r: /a*/, v: "abaabaccadaaae", i: 5), v: ",")',
    ',b,b,c,cadaaae',
  ],
  ['regexp.quoteMeta(v: ".+*?()|[]{}^$")', '\\.\\+\\*\\?\\(\\)\\|\\[\\]\\{\\}\\^\\$'],
  ['regexp.getString(r: regexp.compile(v: "[a-z]{2}"))', '[a-z]{2}'],
  ['dict.get(dict: ["a": 1], key: "b", default: 7)', 7n],
  ['dict.get(dict: dict.insert(dict: ["a": 1], key: "b", value: 2), key: "b", default: 7)', 2n],
  ['dict.get(dict: dict.remove(dict: ["a": 1], key: "a"), key: "a", default: 7)', 7n],
  ['dict.get(dict: dict.fromList(pairs: [{key: 1, value: "x"}]), key: 1, default: "")', 'x'],
  ['types.isType(v: 1, type: "int")', true],
  ['types.isType(v: 1.0, type: "int")', false],
  ['types.isNumeric(v: uint(v: 1))', true],
  ['types.isNumeric(v: "1")', false],
  [
    'string(v: json.encode(v: {b: "<é>", a: [1, 2], c: 1.5, d: 2020-01-01T00:00:00Z}))',
    '{"a":[1,2],"b":"\\u003cé\\u003e","c":1.5,"d":"2020-01-01T00:00:00Z"}',
  ],
  [
    'string(v: json.encode(v: {x: true, y: math.pow10(n: 21), z: [1.0, 0.0000001]}))',
    '{"x":true,"y":1e+21,"z":[1,1e-7]}',
  ],
  ['contains(value: 2, set: [1, 2])', true],
  ['length(arr: [1, 2, 3])', 3n],
  ['linearBins(start: 0.0, width: 2.0, count: 3)[3]', Infinity],
  ['logarithmicBins(start: 1.0, factor: 3.0, count: 3, infinity: false)[2]', 9],
  ['runtime.version()', 'v0.195.2'],
  ['system.time() >= 2020-01-01T00:00:00Z', true],
  ['bitwise.sand(a: 12, b: 10)', 8n],
  ['bitwise.sclear(a: 12, b: 10)', 4n],
  ['bitwise.slshift(a: 1, b: 70)', 0n],
  ['bitwise.srshift(a: -8, b: 70)', -1n],
  ['bitwise.unot(a: uint(v: 0))', 2n ** 64n - 1n],
]

const imports = [
  ...['array', 'bitwise', 'date', 'dict', 'json', 'math', 'regexp', 'runtime', 'strings', 'system'],
  ...['timezone', 'types'],
]

async function evaluated(expression: string): Promise<Cell | null> {
  const head = imports.map((name) => `import "${name}"`).join('\n')
  const [row] = await runRows(`${head}\narray.from(rows: [{v: ${expression}}])`)
  return row.v
}

describe.each([
  ['strings', strings],
  ['date', dates],
  ['others', plain],
])('%s', (_, cases) => {
  it.each(cases)('%s', async (expression, value) => {
    expect(await evaluated(expression)).toEqual(value)
  })
})

const mathCases: readonly (readonly [expression: string, value: number])[] = [
  ['math.abs(x: -1.22)', 1.22],
  ['math.acosh(x: 1.22)', 0.6517292837263385],
  ['math.atan2(y: 1.22, x: 3.14)', 0.3705838802763881],
  ['math.cbrt(x: 1728.0)', 12],
  ['math.copysign(x: 1.0, y: -2.0)', -1],
  ['math.dim(x: 12.2, y: 8.1)', 4.1],
  ['math.erf(x: 22.6)', 1],
  ['math.erf(x: 0.5)', 0.5204998778130465],
  ['math.erfc(x: 2.5)', 0.0004069520174449589],
  ['math.erfinv(x: 0.22)', 0.19750838337227364],
  ['math.erfcinv(x: 0.42345)', 0.5660037715858239],
  ['math.exp2(x: 10.0)', 1024],
  ['math.expm1(x: 0.000022)', 0.000022000242001774],
  ['math.frexp(f: 22.0).frac', 0.6875],
  ['math.gamma(x: 2.12)', 1.056821007887572],
  ['math.gamma(x: -1.5)', 2.363271801207355],
  ['math.hypot(p: 2.0, q: 5.0)', 5.385164807134504],
  ['math.j0(x: 1.23)', 0.656070571706025],
  ['math.jn(n: 2, x: 1.23)', 0.16636938378681407],
  ['math.y0(x: 3.14)', 0.3289375969127807],
  ['math.yn(n: 3, x: 3.14)', -0.4866506930335083],
  ['math.ldexp(frac: 0.5, exp: 6)', 32],
  ['math.lgamma(x: 3.14).lgamma', 0.8261387047770286],
  ['math.log1p(x: 3.14)', 1.4206957878372228],
  ['math.logb(x: 3.14)', 1],
  ['math.mMax(x: 1.23, y: 3.14)', 3.14],
  ['math.mod(x: 1.23, y: 3.14)', 1.23],
  ['math.modf(f: 3.14).frac', 0.14],
  ['math.nextafter(x: 1.23, y: 3.14)', 1.2300000000000002],
  ['math.pow(x: 2.0, y: 3.0)', 8],
  ['math.pow10(n: 3)', 1000],
  ['math.remainder(x: 21.0, y: 4.0)', 1],
  ['math.remainder(x: 7.0, y: 4.0)', -1],
  ['math.remainder(x: 6.0, y: 4.0)', -2],
  ['math.round(x: -2.5)', -3],
  ['math.roundtoeven(x: 2.5)', 2],
  ['math.trunc(x: -1.7)', -1],
  ['math.sqrtphi', 1.272019649514069],
]

it.each(mathCases)('%s', async (expression, value) => {
  expect(await evaluated(expression)).toBeCloseTo(value, 12)
})

it.each([
  ['strings.repeat(v: "ab", i: 9223372036854775807)', 'more than'],
  ['strings.repeat(v: "a", i: -1)', 'strings: negative Repeat count'],
  ['strings.isDigit(v: "10")', 'argument length is not equal to 1'],
  ['bitwise.slshift(a: 1, b: -1)', 'negative shift amount: -1'],
  ['date.truncate(t: 2020-01-01T00:00:00Z, unit: 0h)', 'cannot be zero'],
  ['timezone.location(name: "Nowhere/City").zone', 'unknown time zone Nowhere/City'],
  ['linearBins(start: 0.0, width: 1.0, count: 9223372036854775807)[0]', 'count must be'],
  ['die(msg: "enough")', 'enough'],
])('%s fails: %s', async (expression, message) => {
  const head = imports.map((name) => `import "${name}"`).join('\n')
  expect(await fluxError(`${head}\narray.from(rows: [{v: ${expression}}])`)).toContain(message)
})

it('numbers of weeks and days of boundaries', async () => {
  // A Tuesday.
  const text = (call: string) => `import "array"
import "experimental/date/boundaries"
option now = () => 2022-05-10T10:20:00Z
b = boundaries.${call}
array.from(rows: [{start: b.start, stop: b.stop}])`
  const spans: readonly (readonly [string, string, string])[] = [
    ['yesterday()', '2022-05-09', '2022-05-10'],
    ['monday()', '2022-05-09', '2022-05-10'],
    ['tuesday()', '2022-05-03', '2022-05-04'],
    ['sunday()', '2022-05-08', '2022-05-09'],
    ['week()', '2022-05-09', '2022-05-16'],
    ['week(start_sunday: true)', '2022-05-08', '2022-05-15'],
    ['week(week_offset: -2)', '2022-04-25', '2022-05-02'],
    ['month()', '2022-05-01', '2022-06-01'],
    ['month(month_offset: -3)', '2022-02-01', '2022-03-01'],
  ]
  for (const [call, start, stop] of spans) {
    expect([call, await runRows(text(call))]).toEqual([
      call,
      [{ start: at(start), stop: at(stop) }],
    ])
  }
})

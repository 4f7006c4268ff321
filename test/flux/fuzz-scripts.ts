// Scripts for random tests: pipelines put together from every function over tables with whatever
// arguments, calls of the functions over plain values, and real scripts with words changed.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Flux writes its placeholders the same way.

import fc from 'fast-check'

const column = fc.constantFrom(
  ...['_time', '_value', '_start', '_stop', '_field', '_measurement', 't', 'f', 'i', 's', 'no'],
  ...['__proto__', 'constructor', 'toString', ''],
)
const int = fc.constantFrom(
  ...['0', '1', '2', '3', '10', '-1', '100', '65536', '9223372036854775807'],
  '-9223372036854775808',
)
const float = fc.constantFrom('0.0', '1.5', '-2.5', '0.5', '1.0', '99999999999999999999.0', '0.001')
const text = fc.constantFrom('""', '"a"', '"x1"', '"é日"', '"_value"', '"UTC"', '"Europe/Paris"')
const duration = fc.constantFrom(
  ...['1s', '10s', '1m', '1h', '1d', '1mo', '1y', '-1s', '-1mo', '0s', '1ns', '1mo1d', 'inf', '7w'],
)
const time = fc.constantFrom(
  ...['1970-01-01T00:00:00Z', '1970-01-01T00:05:00Z', '2262-04-11T23:47:16.854775807Z', '-1h', '0'],
  ...['1677-09-21T00:12:43.145224194Z', 'now()', '600', '1969-12-31T23:59:59Z'],
)
const bool = fc.constantFrom('true', 'false')
const aggregate = fc.constantFrom(
  ...['mean', 'sum', 'count', 'first', 'last', 'min', 'max', 'median', 'mode', 'spread', 'stddev'],
  ...['skew', 'distinct', 'unique', 'integral', '(tables=<-, column) => tables', 'increase'],
)
const value = fc.constantFrom(
  ...['r._value', 'r.t', 'r._time', '1', '1.5', '"x"', 'r.no', 'string(v: r._value)', 'exists r.t'],
  ...[
    'r._value > 1',
    'r.t == "a"',
    'r._value + r._value',
    'int(v: r._value)',
    'float(v: r._value)',
  ],
  ...['r["__proto__"]', 'now()', '1h', 'if exists r._value then 1 else 2', 'r.t =~ /a/', '/a/'],
  ...[
    '[r._value]',
    'r',
    '{a: 1}',
    '["a": 1]',
    '"${r._value}"',
    'uint(v: r._value)',
    'debug.null()',
  ],
)

const slots = { column, int, float, text, duration, time, bool, aggregate, value }

/** `<column>` and the others stand for one of theirs. */
function filled(template: string): fc.Arbitrary<string> {
  const parts = template.split(/<(\w+)>/)
  const chosen = parts.map((part, i) =>
    i % 2 === 0 ? fc.constant(part) : slots[part as keyof typeof slots],
  )
  return fc.tuple(...chosen).map((texts) => texts.join(''))
}

const one = (templates: readonly string[]) => fc.oneof(...templates.map(filled))

const sources = [
  'from(bucket: "b") |> range(start: <time>)',
  'from(bucket: "b") |> range(start: 0, stop: 600)',
  'from(bucket: "b") |> range(start: 0, stop: 600) |> filter(fn: (r) => r._field == "f")',
  'from(bucket: "b") |> range(start: 0, stop: 600) |> filter(fn: (r) => <value>)',
  `array.from(rows: [{_time: 1970-01-01T00:00:01Z, _value: 1.5, t: "a"},
    {_time: 1970-01-01T00:00:02Z, _value: 2.5, t: "b"}])`,
  'array.from(rows: [{"<column>": <int>, t: <text>}])',
  'generate.from(count: 20, start: 1970-01-01T00:00:00Z, stop: 1970-01-01T00:10:00Z, fn: (n) => n * 7 % 5)',
  'csv.from(csv: "a,<column>\\n1,2\\n3,4", mode: "raw")',
  'sampledata.float(includeNull: <bool>)',
  'sampledata.string()',
  'buckets()',
]

const steps = [
  ...[
    'limit(n: <int>, offset: <int>)',
    'tail(n: <int>, offset: <int>)',
    'sort(columns: ["<column>"])',
  ],
  ...['sort(columns: ["<column>", "<column>"], desc: <bool>)', 'group(columns: ["<column>"])'],
  ...[
    'group()',
    'group(columns: ["<column>"], mode: "except")',
    'keep(columns: ["<column>", "t"])',
  ],
  ...[
    'drop(columns: ["<column>"])',
    'rename(columns: {_value: "<column>"})',
    'rename(fn: (column) => "<column>")',
  ],
  ...['duplicate(column: "<column>", as: "<column>")', 'set(key: "<column>", value: <text>)'],
  ...[
    'map(fn: (r) => ({r with <column>: <value>}))',
    'map(fn: (r) => ({"<column>": <value>}))',
    'map(fn: (r) => r)',
  ],
  ...['filter(fn: (r) => <value>)', 'filter(fn: (r) => <value>, onEmpty: "keep")'],
  ...['reduce(fn: (r, accumulator) => ({n: accumulator.n + 1}), identity: {n: 0})'],
  ...['reduce(fn: (r, accumulator) => ({"<column>": <value>}), identity: {"<column>": 1})'],
  ...[
    'window(every: <duration>)',
    'window(every: <duration>, period: <duration>, offset: <duration>)',
  ],
  ...[
    'window(every: 1m, createEmpty: <bool>)',
    'aggregateWindow(every: 1m, fn: <aggregate>, createEmpty: <bool>)',
  ],
  ...[
    'aggregateWindow(every: 1m, period: <duration>, fn: <aggregate>, timeSrc: "<column>", column: "<column>")',
  ],
  ...[
    '<aggregate>()',
    '<aggregate>(column: "<column>")',
    'mean(column: "<column>")',
    'count(column: "<column>")',
  ],
  ...[
    'quantile(q: <float>, method: "exact_selector")',
    'quantile(q: <float>)',
    'quantile(q: <float>, method: "exact_mean")',
  ],
  ...[
    'top(n: <int>, columns: ["<column>"])',
    'bottom(n: <int>)',
    'highestMax(n: <int>, groupColumns: ["<column>"])',
  ],
  ...['distinct(column: "<column>")', 'unique(column: "<column>")', 'sample(n: <int>, pos: <int>)'],
  ...[
    'fill(column: "<column>", usePrevious: true)',
    'fill(column: "<column>", value: <int>)',
    'fill(value: <float>)',
  ],
  ...['pivot(rowKey: ["<column>"], columnKey: ["<column>"], valueColumn: "<column>")'],
  ...[
    'pivot(rowKey: ["_time"], columnKey: ["_field"], valueColumn: "_value")',
    'schema.fieldsAsCols()',
  ],
  ...[
    'derivative(unit: <duration>, nonNegative: <bool>)',
    'difference(columns: ["<column>"])',
    'elapsed(unit: <duration>)',
  ],
  ...[
    'cumulativeSum(columns: ["<column>"])',
    'movingAverage(n: <int>)',
    'timedMovingAverage(every: <duration>, period: <duration>)',
  ],
  ...[
    'exponentialMovingAverage(n: <int>)',
    'doubleEMA(n: <int>)',
    'tripleEMA(n: <int>)',
    'relativeStrengthIndex(n: <int>)',
  ],
  ...[
    'kaufmansAMA(n: <int>)',
    'kaufmansER(n: <int>)',
    'chandeMomentumOscillator(n: <int>)',
    'holtWinters(n: <int>, interval: <duration>)',
  ],
  ...[
    'histogram(bins: [<float>, <float>, 9999999999999999999999.0])',
    'histogramQuantile(quantile: <float>)',
    'timeShift(duration: <duration>)',
  ],
  ...[
    'truncateTimeColumn(unit: <duration>)',
    'timeWeightedAvg(unit: <duration>)',
    'integral(unit: <duration>, column: "<column>")',
  ],
  ...[
    'stateCount(fn: (r) => <value>)',
    'stateDuration(fn: (r) => <value>, unit: <duration>)',
    'stateTracking(fn: (r) => <value>, countColumn: "<column>")',
  ],
  ...[
    'covariance(columns: ["<column>", "<column>"])',
    'keyValues(keyColumns: ["<column>"])',
    'keys(column: "<column>")',
    'columns(column: "<column>")',
  ],
  ...[
    'hourSelection(start: <int>, stop: <int>)',
    'range(start: <time>, stop: <time>)',
    'toString()',
    'toInt()',
    'toFloat()',
    'toTime()',
    'toBool()',
    'toUInt()',
  ],
  ...[
    'interpolate.linear(every: <duration>)',
    'yield(name: <text>)',
    'debug.opaque()',
    'experimental.unpivot()',
    'experimental.alignTime()',
  ],
  ...[
    'experimental.set(o: {"<column>": <text>})',
    'experimental.group(mode: "extend", columns: ["<column>"])',
    'experimental.quantile(q: <float>)',
  ],
  ...[
    'to(bucket: "b")',
    'to(bucket: "b", timeColumn: "<column>", tagColumns: ["<column>"], fieldFn: (r) => ({"<column>": <value>}))',
    'wideTo(bucket: "b")',
  ],
]

const scalars = [
  ...[
    'strings.repeat(v: <text>, i: <int>)',
    'strings.substring(v: <text>, start: <int>, end: <int>)',
    'strings.splitN(v: <text>, t: <text>, i: <int>)',
  ],
  ...[
    'strings.replace(v: <text>, t: <text>, u: <text>, i: <int>)',
    'strings.title(v: <text>)',
    'regexp.compile(v: <text>)',
  ],
  ...[
    'date.truncate(t: <time>, unit: <duration>)',
    'date.add(d: <duration>, to: <time>)',
    'date.sub(d: <duration>, from: <time>)',
    'date.yearDay(t: <time>)',
  ],
  ...[
    'date.scale(d: <duration>, n: <int>)',
    'math.pow(x: <float>, y: <float>)',
    'math.frexp(f: <float>)',
    'math.ldexp(frac: <float>, exp: <int>)',
    'math.jn(n: <int>, x: <float>)',
  ],
  ...[
    'int(v: <value>)',
    'time(v: <int>)',
    'duration(v: <int>)',
    'duration(v: <text>)',
    'uint(v: <int>)',
    'string(v: <float>)',
    'bytes(v: <text>)',
    'bool(v: <text>)',
  ],
  ...[
    '<int> / <int>',
    '<int> % <int>',
    '<int> ^ <int>',
    '<float> / <float>',
    '<text> + <text>',
    '<duration> == <duration>',
    '<time> < <time>',
  ],
  ...[
    '-<duration>',
    '-<int>',
    '[<int>, <int>][<int>]',
    '"${<int>}"',
    'linearBins(start: <float>, width: <float>, count: <int>)',
    'logarithmicBins(start: <float>, factor: <float>, count: <int>)',
  ],
  ...[
    'json.encode(v: <value>)',
    'display(v: <value>)',
    'dict.get(dict: ["a": <int>], key: <text>, default: <int>)',
    'dict.fromList(pairs: [{key: <text>, value: <int>}])',
  ],
  ...[
    'dynamic.jsonParse(data: bytes(v: "{\\"a\\": <int>}"))',
    'hex.string(v: bytes(v: <text>))',
    'hex.int(v: <text>)',
    'bitwise.lshift(a: <int>, b: <int>)',
    'contains(value: <int>, set: [<int>])',
  ],
  ...[
    'array.map(arr: [<int>], fn: (x) => x / <int>)',
    'array.concat(arr: [<int>], v: [<int>])',
    'timezone.location(name: <text>)',
    'timezone.fixed(offset: <duration>)',
  ],
]

const imports = [
  ...[
    'array',
    'generate',
    'csv',
    'sampledata',
    'strings',
    'regexp',
    'date',
    'math',
    'json',
    'dict',
    'timezone',
  ],
  ...['interpolate', 'experimental', 'experimental/dynamic', 'bitwise', 'contrib/bonitoo-io/hex'],
  ...['internal/debug', 'influxdata/influxdb/schema', 'join'],
].map((path) => `import "${path}"\n`)
const head = imports.join('')

const pipeline = fc
  .tuple(one(sources), fc.array(one(steps), { maxLength: 4 }))
  .map(([source, chain]) => [source, ...chain].join('\n  |> '))

const joined = fc
  .tuple(pipeline, pipeline, column)
  .map(
    ([a, b, on]) =>
      `x = ${a}\ny = ${b}\njoin.time(method: "full", left: x, right: y, as: (l, r) => ({l with z: r["${on}"]}))`,
  )

const united = fc.tuple(pipeline, pipeline).map(([a, b]) => `union(tables: [${a}, ${b}])`)

const scalar = one(scalars).map(
  (call) => `r = {_value: 1, t: "a"}\nx = ${call}\narray.from(rows: [{v: display(v: x)}])`,
)

/** What its author could have meant. */
export const wellFormed = fc
  .oneof({ weight: 6, arbitrary: pipeline }, scalar, joined, united)
  .map((body) => head + body)

export const words = [
  ...[
    'x',
    'y',
    'r',
    'f',
    'tables',
    'true',
    'false',
    'now',
    'array',
    'option',
    'import "array"',
    'return',
  ],
  ...[
    '1',
    '2.5',
    '"s"',
    '/re/',
    '1h',
    '2020-01-01',
    '=',
    '==',
    '=>',
    '(',
    ')',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '.',
  ],
  ...[
    '+',
    '-',
    '*',
    '/',
    '%',
    '^',
    '<',
    'and',
    'or',
    'not',
    'exists',
    'if',
    'then',
    'else',
    '|>',
    '<-',
    'with',
  ],
  ...[
    'string(v: x)',
    'array.from(rows: [{a: 1}])',
    'limit(n: 1)',
    'map(fn: (r) => r)',
    '\n',
    '"${x}"',
    '[1: 2]',
  ],
  ...[
    '__proto__',
    'constructor',
    '"__proto__"',
    'option task = {name: "x"}\n',
    'builtin f : int\n',
    'testcase a {}',
  ],
]

export const soup = fc
  .array(fc.constantFrom(...words), { maxLength: 40 })
  .map((all) => all.join(' '))

/** A script with some of its words left out, doubled or exchanged. */
export const mutated = wellFormed.chain((script) => {
  const tokens = script.slice(head.length).split(/(?<=\W)|(?=\W)/)
  const change = fc.tuple(
    fc.nat(tokens.length - 1),
    fc.nat(2),
    fc.constantFrom(...words, '', ...tokens),
  )
  return fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => {
    const all = [...tokens]
    for (const [at, count, word] of changes) all.splice(at, count, word)
    return head + all.join('')
  })
})

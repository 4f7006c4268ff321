// Random InfluxQL and random requests for it: statements that are valid, valid ones with words taken
// out, put in and moved, bytes that are no text, and every parameter with values it should not have.

import fc from 'fast-check'

export const statements = [
  'SELECT * FROM m',
  "SELECT f, i, s, b, u, t FROM m WHERE f > 1.5 AND t = 'a' OR s =~ /x/ ORDER BY time DESC LIMIT 3 OFFSET 1",
  'SELECT mean(f), max(i), count(*) FROM m WHERE time >= 0 AND time < 1h GROUP BY time(7m, 1m), t fill(linear)',
  "SELECT first(f), t FROM m GROUP BY * SLIMIT 1 SOFFSET 1 tz('Europe/Berlin')",
  'SELECT top(f, t, 2), s FROM m',
  'SELECT derivative(mean(f), 1s) FROM m WHERE time < 1h GROUP BY time(1m) fill(previous)',
  'SELECT moving_average(f, 2), cumulative_sum(i) FROM m',
  'SELECT percentile(/f|i/, 50) FROM /m|n/ GROUP BY /t/',
  'SELECT f * 2 + i / 0 - i % 3, i & 6 | 1 ^ 2, -f, (f) FROM m',
  'SELECT holt_winters(mean(f), 3, 2) FROM m WHERE time >= 0 AND time < 1h GROUP BY time(1m)',
  'SELECT sample(f, 2), distinct(s) FROM m',
  'SELECT pow(f, 2), log(f, 10), atan2(f, i), round(f), abs(i) FROM m',
  'SELECT elapsed(f, 1ms), difference(i), non_negative_derivative(f) FROM m GROUP BY t',
  'SELECT integral(f), stddev(f), spread(i), median(f), mode(s) FROM m',
  'SELECT relative_strength_index(f, 2), kaufmans_efficiency_ratio(f, 2) FROM m',
  'SELECT x FROM (SELECT mean(f) AS x FROM (SELECT f FROM m GROUP BY t) GROUP BY time(1m) fill(0)) WHERE time < 10m',
  'SELECT f::integer, i::float, t::tag, s::field, b::string FROM "b"."autogen"."m"',
  "SELECT f FROM m WHERE time > '1970-01-01T00:00:00.5Z' AND time < now() - 1w",
  'SELECT count(distinct(s)) FROM m GROUP BY time(1mo)',
  'SELECT f FROM m WHERE t = $x AND f > $y',
  'SELECT f INTO copied FROM m GROUP BY *',
  'EXPLAIN SELECT mean(f) FROM m GROUP BY time(1m)',
  'EXPLAIN ANALYZE SELECT f FROM m',
  'SHOW DATABASES',
  "SHOW MEASUREMENTS ON b WITH MEASUREMENT =~ /m/ WHERE t = 'a' LIMIT 1 OFFSET 1",
  'SHOW TAG KEYS FROM m WITH KEY IN (t, x) WHERE f > 1 SLIMIT 1',
  'SHOW TAG VALUES FROM m WITH KEY =~ /t/ WHERE time > 0 LIMIT 2',
  'SHOW FIELD KEYS FROM m, n',
  "SHOW SERIES ON b FROM m WHERE t != 'a' LIMIT 1",
  'SHOW SERIES CARDINALITY ON b',
  'SHOW SERIES EXACT CARDINALITY ON b FROM m GROUP BY t',
  'SHOW TAG VALUES EXACT CARDINALITY WITH KEY = t',
  'SHOW MEASUREMENT CARDINALITY',
  'SHOW RETENTION POLICIES ON b',
  'SHOW QUERIES; SHOW USERS; SHOW STATS; SHOW DIAGNOSTICS; SHOW SHARDS; SHOW SUBSCRIPTIONS',
  'SHOW CONTINUOUS QUERIES',
  'SHOW GRANTS FOR u',
  'KILL QUERY 123456',
  'CREATE DATABASE "made" WITH DURATION 7d REPLICATION 1 SHARD DURATION 1d NAME "p"',
  'CREATE RETENTION POLICY p2 ON made DURATION 1h REPLICATION 1 DEFAULT',
  'ALTER RETENTION POLICY p2 ON made DURATION INF',
  'DROP RETENTION POLICY p2 ON made',
  'DROP DATABASE made',
  'CREATE CONTINUOUS QUERY c ON made RESAMPLE EVERY 1m FOR 1h BEGIN SELECT mean(f) INTO x FROM m GROUP BY time(1m) END',
  'DROP CONTINUOUS QUERY c ON made',
  "CREATE SUBSCRIPTION s ON made.p DESTINATIONS ALL 'udp://127.0.0.1:9'",
  'GRANT READ ON made TO nobody; REVOKE ALL PRIVILEGES FROM nobody',
  "DELETE FROM gone WHERE time < 10 AND t = 'a'",
  "DROP SERIES FROM gone WHERE t = 'a'",
  'DROP MEASUREMENT gone',
  'DROP SHARD 99999',
] as const

const words = [
  ...'select from where group by order limit offset slimit into as and or fill tz on with key in show drop'.split(
    ' ',
  ),
  ...'( ) , ; * / + - % & | ^ = != <> <= > =~ !~ :: . $x $missing "f" \'a\' /a.*/ /(/ "'.split(' '),
  ...'time time() now() 1s 1ns 0 -1 1.5 9223372036854775807 9223372036854775808 1e400 true null'.split(
    ' ',
  ),
  ...'m n f i s b u t mean( count( top( fill(0) fill(none) fill(previous) time(1ns) time(0s) time(-1m)'.split(
    ' ',
  ),
  "'2000-01-01'",
  "'2262-04-12'",
  '-- x',
  '/* x',
  '\u0000',
  '\ud800',
  '\u{1f600}',
]

const statement = fc.constantFrom(...statements)
const word = fc.constantFrom(...words)

type Change = readonly [
  kind: 'drop' | 'add' | 'replace' | 'double' | 'swap' | 'cut',
  at: number,
  word: string,
]

const change: fc.Arbitrary<Change> = fc.tuple(
  fc.constantFrom('drop', 'add', 'replace', 'double', 'swap', 'cut'),
  fc.nat(60),
  word,
)

function changed(text: string, changes: readonly Change[]): string {
  // Names, numbers and signs, each with the blanks before it.
  const parts = text.match(/\s*(?:[A-Za-z0-9_.]+|\W)/g) ?? []
  for (const [kind, where, more] of changes) {
    const at = where % (parts.length + 1)
    const other = (where * 7) % (parts.length + 1)
    if (kind === 'drop') parts.splice(at, 1)
    else if (kind === 'add') parts.splice(at, 0, ` ${more} `)
    else if (kind === 'replace') parts.splice(at, 1, ` ${more} `)
    else if (kind === 'double') parts.splice(at, 0, ...parts.slice(at, at + 5))
    else if (kind === 'cut') parts.length = at
    else if (at < parts.length && other < parts.length) {
      ;[parts[at], parts[other]] = [parts[other], parts[at]]
    }
  }
  return parts.join('')
}

export const queryText: fc.Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: statement },
  {
    weight: 6,
    arbitrary: fc
      .tuple(statement, fc.array(change, { minLength: 1, maxLength: 5 }))
      .map(([text, changes]) => changed(text, changes)),
  },
  {
    weight: 1,
    arbitrary: fc.array(word, { minLength: 1, maxLength: 25 }).map((list) => list.join(' ')),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 80 }) },
  {
    weight: 1,
    arbitrary: fc.tuple(statement, statement).map(([first, second]) => `${first};${second}`),
  },
)

const pool = (texts: readonly string[]) => fc.constantFrom(...texts)

const raw = pool([
  'f',
  'i',
  's',
  'b',
  'u',
  't',
  '*',
  '/f|i/',
  '-f',
  'f + i',
  'i % 0',
  'i & 3',
  'f / 0',
  'abs(f)',
  'pow(f, i)',
  'f::integer',
  'i::string',
  'zzz',
])
const inner = pool(['f', 'f', 'f', 'i', 'i', 'u', 's', 'b', '*', '/f|i/', 'zzz', 'g'])
const aggregate = fc
  .tuple(
    pool([
      'mean',
      'count',
      'sum',
      'min',
      'max',
      'first',
      'last',
      'median',
      'mode',
      'spread',
      'stddev',
      'integral',
      'distinct',
      'count(distinct',
    ]),
    inner,
  )
  .map(([name, field]) => `${name}(${field})${name.includes('(') ? ')' : ''}`)
const call = fc.oneof(
  aggregate,
  inner.map((field) => `percentile(${field}, 50)`),
  inner.map((field) => `top(${field}, 2)`),
  inner.map((field) => `bottom(${field}, t, 2)`),
  inner.map((field) => `sample(${field}, 2)`),
  fc
    .tuple(
      pool([
        'derivative',
        'difference',
        'elapsed',
        'cumulative_sum',
        'non_negative_derivative',
        'non_negative_difference',
        'log2',
        'ceil',
      ]),
      fc.oneof(aggregate, inner),
    )
    .map(([name, what]) => `${name}(${what})`),
  fc
    .tuple(
      pool([
        'moving_average',
        'exponential_moving_average',
        'relative_strength_index',
        'chande_momentum_oscillator',
        'kaufmans_adaptive_moving_average',
        'triple_exponential_derivative',
      ]),
      fc.oneof(aggregate, inner),
    )
    .map(([name, what]) => `${name}(${what}, 2)`),
  aggregate.map((what) => `holt_winters_with_fit(${what}, 2, 2)`),
)
const allRaw = fc.array(raw, { minLength: 1, maxLength: 3 })
const severalAggregates = fc.array(
  fc.oneof(
    aggregate,
    fc.tuple(aggregate, aggregate).map(([a, b]) => `${a} * 2 - ${b}`),
  ),
  { minLength: 1, maxLength: 3 },
)
const fieldLists = fc.oneof(
  allRaw,
  severalAggregates,
  call.map((one) => [one]),
  fc.tuple(call, raw).map(([one, beside]) => [one, beside]),
)

/** Queries around it look for `f`. */
function named(fields: readonly string[]): string {
  const [first, ...rest] = fields
  return [/\*|\//.test(first) ? first : `${first} AS f`, ...rest].join(', ')
}

const condition = pool([
  '',
  '',
  '',
  '',
  '',
  "t = 'a'",
  "t != '' AND x = ''",
  't =~ /a|b/ OR f > 1',
  'f > 1 AND i < 5 OR b = true',
  "s = 'x' AND u >= 0",
  'f * 2 > i',
  'zzz = 1',
  "time = '1970-01-01T00:01:00Z'",
])
const dimensions = pool([
  '',
  't',
  '*',
  '/t|x/',
  'zzz',
  'time(1m)',
  'time(7s, 3s), t',
  'time(1h), *',
  'time(1mo)',
])
const fills = pool(['', 'fill(0)', 'fill(none)', 'fill(previous)', 'fill(linear)', 'fill(1.5)'])
const tail = pool(['', 'LIMIT 2', 'LIMIT 1 OFFSET 1', 'OFFSET 2', 'SLIMIT 1', 'SLIMIT 1 SOFFSET 1'])
const order = pool(['', '', '', '', '', 'ORDER BY time DESC'])
const zone = pool(['', '', "tz('America/New_York')"])

const { select } = fc.letrec<{ select: string; source: string }>((tie) => ({
  source: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    {
      weight: 4,
      arbitrary: pool(['m', 'm', 'm', 'n', 'm, n', '/m|n/', 'none', '"b"."autogen".m']),
    },
    { weight: 1, arbitrary: tie('select').map((text) => `(${text})`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(tie('select'), pool(['m', 'n']))
        .map(([text, name]) => `(${text}), ${name}`),
    },
  ),
  select: fc
    .tuple(fieldLists, tie('source'), condition, dimensions, fills, order, tail, zone)
    .map(([fields, source, where, by, fill, ...rest]) => {
      const range = 'time >= 0 AND time < 15m'
      const filter = where === '' ? range : `${range} AND (${where})`
      // Rows as they are have no windows.
      const hasCalls = fields.some((each) => /^(?!abs|pow)\w+\(/.test(each))
      const tags = hasCalls ? by : by.replace(/^time.*/, 't')
      const grouping = tags === '' ? '' : `GROUP BY ${tags} ${tags.startsWith('time') ? fill : ''}`
      return `SELECT ${named(fields)} FROM ${source} WHERE ${filter} ${grouping} ${rest.join(' ')}`
    }),
}))

/** Mostly valid: what runs, and what only the planner refuses. */
export const selectText: fc.Arbitrary<string> = select

const odd = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '-1',
    '1',
    'true',
    'false',
    '9999999999999999999',
    '1e3',
    'NaN',
    '\u0000',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
)

export const parameters = fc.record(
  {
    db: fc.constantFrom('b', 'b', 'b', 'b.autogen', 'none', '', '\u0000', 'b;'),
    rp: fc.oneof(fc.constantFrom('', 'autogen'), odd),
    epoch: fc.oneof(fc.constantFrom('ns', 'u', 'µ', 'ms', 's', 'm', 'h'), odd),
    chunked: fc.constantFrom('true', 'false', '1', ''),
    chunk_size: fc.oneof(fc.constantFrom('1', '2', '10000'), odd),
    pretty: fc.constantFrom('true', 'false', ''),
    params: fc.oneof(
      fc.constantFrom(
        '{"x":"a","y":1}',
        '{"x":{"regex":"("},"y":{"duration":"1s"}}',
        '{"x":{"identifier":"t"},"y":1e400}',
        '{"x":null}',
        '{"__proto__":1}',
        '[1]',
      ),
      fc.json({ maxDepth: 3 }),
      odd,
    ),
    time_format: fc.oneof(fc.constantFrom('rfc3339', 'epoch', ''), odd),
  },
  { requiredKeys: ['db'] },
)

export const accept = fc.constantFrom(
  'application/json',
  'application/json',
  'text/csv',
  'application/csv',
  'application/x-msgpack',
  '*/*',
  'text/html, application/csv;q=0.5, */*;q=0.1',
  ',;q=',
)

/** How a query travels: in the URL or in a body, which may be broken, and of another type than it says. */
export const carriage = fc.record({
  method: fc.constantFrom('GET', 'GET', 'POST', 'POST', 'HEAD', 'PUT', 'OPTIONS'),
  contentType: fc.constantFrom(
    undefined,
    'application/x-www-form-urlencoded',
    'application/x-www-form-urlencoded; charset=latin-1',
    'application/vnd.influxql',
    'multipart/form-data; boundary=x',
    'multipart/form-data',
    'application/json',
    'text/plain',
    'nonsense',
  ),
  body: fc.constantFrom('form', 'text', 'multipart', 'garbage', 'none'),
  garbage: fc.uint8Array({ maxLength: 60 }),
  takesGzip: fc.boolean(),
  sendsGzip: fc.constantFrom(false, false, false, true),
})

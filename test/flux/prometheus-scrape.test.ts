// `prometheus.scrape` over texts that a server on this machine gives: every type of metric, labels with everything that
// may stand in them, and lines that are none of the format.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { outgoingRequests, RecordingServer } from './outgoing.js'
import { fluxError, runFlux } from './run-flux.js'

let server: RecordingServer

beforeAll(async () => {
  server = await RecordingServer.start()
})

afterAll(() => server.stop())

const scope = { outgoing: outgoingRequests({ arePrivateHostsAllowed: true }) }
const contentType = 'text/plain; version=0.0.4'

function telling(text: string, type = contentType): string {
  server.answer = (_, response) => {
    if (type !== '') response.setHeader('Content-Type', type)
    response.end(text)
  }
  return `import "experimental/prometheus"\nprometheus.scrape(url: "${server.url}")`
}

/** `key columns | value`, a line for each row. */
async function scraped(text: string): Promise<string[]> {
  const [result] = await runFlux(telling(text), { scope })
  return (result?.tables ?? []).flatMap(({ key, rows }) => {
    const labels = ['_field', ...[...key.keys()].filter((name) => !name.startsWith('_')).sort()]
    return rows.map(
      (row) => `${labels.map((name) => row.get(name)).join(' ')} | ${row.get('_value')}`,
    )
  })
}

it('gives a table for each metric and set of labels', async () => {
  const [{ tables }] = await runFlux(telling('# TYPE up gauge\n  up{job="a"} 1.5 1000\nup 2\n'), {
    scope,
    now: '2020-01-01T00:00:00Z',
  })
  const [first, second] = tables
  const names = ['_time', '_value', '_measurement', '_field', 'url', 'job']
  expect(first.columns.map(({ name }) => name)).toEqual(names)
  expect([...first.key.keys()].sort()).toEqual(['_field', '_measurement', 'job'])
  expect(Object.fromEntries(first.rows[0])).toEqual({
    _time: 1_000_000_000n,
    _value: 1.5,
    _measurement: 'prometheus',
    _field: 'up',
    url: server.url,
    job: 'a',
  })
  expect(second.rows[0].get('_time')).toBe(1_577_836_800_000_000_000n)
  expect([...second.key.keys()].sort()).toEqual(['_field', '_measurement'])
})

it('knows summaries and histograms', async () => {
  const text = `# HELP d some words
# TYPE d summary
d{quantile="0"} 1.5819e-05
d{quantile="0.50"} NaN
d{quantile="0.90"} 2
d_sum 53.148989515
d_count 1.405614e+06
# TYPE h histogram
h_bucket{le="0.10",a="b"} 3
h_bucket{le="+Inf",a="b"} 5
h_sum{a="b"} 7
h_count{a="b"} 5
other_bucket{le="0.10"} 1
`
  expect(await scraped(text)).toEqual([
    'd 0 | 0.000015819',
    'd 0.9 | 2',
    'd_sum | 53.148989515',
    'd_count | 1405614',
    'h b 0.1 | 3',
    'h b +Inf | 5',
    'h_sum b | 7',
    'h_count b | 5',
    'other_bucket 0.10 | 1',
  ])
})

it('reads labels and numbers in every spelling', async () => {
  const text = String.raw`a{x="q\"b\\n\n{}, ",} +Inf
b { y = "" , z = "é" } -inf
c{} .5
d -1.e3 -5
e NaN
`
  expect(await scraped(text)).toEqual([
    'a q"b\\n\n{},  | Infinity',
    'b  é | -Infinity',
    'c | 0.5',
    'd | -1000',
  ])
})

it('gives no tables where nothing is told', async () => {
  expect(await scraped('')).toEqual([])
  expect(await scraped('# nothing\n\n')).toEqual([])
})

it.each([
  ['1a 2', 'line 1: invalid metric name'],
  ['a 1\nb', 'line 2: expected float as value, got ""'],
  ['a b', 'line 1: expected float as value, got "b"'],
  ['a 1 x', 'line 1: expected integer as timestamp, got "x"'],
  ['a 1 2 3', 'line 1: spurious string after timestamp: "3"'],
  ['a{b} 1', 'line 1: invalid label'],
  ['a{b="c} 1', 'line 1: label value contains an unescaped new-line'],
  ['a{b="\\x"} 1', "line 1: invalid escape sequence '\\x'"],
  ['a{b="c"d="e"} 1', 'line 1: unexpected end of label value'],
  ['a{b="c",b="d"} 1', 'line 1: duplicate label name "b"'],
  ['# TYPE a thing', 'line 1: unknown metric type "thing"'],
])('says what is wrong with %j', async (text, message) => {
  const failure = await fluxError(telling(text), { scope })
  expect(failure).toContain(`reading text format failed: text format parsing error in ${message}`)
})

it('wants to know what it is given', async () => {
  expect(await fluxError(telling('a 1', ''), { scope })).toContain('mime: no media type')
  const protobuf = 'application/vnd.google.protobuf; encoding=delimited'
  expect(await fluxError(telling('a 1', protobuf), { scope })).toContain('reads the text format')
  expect(await fluxError(telling('a{_time="x"} 1'), { scope })).toContain('the label _time of a')
})

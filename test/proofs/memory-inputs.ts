// Inputs that are made to take memory: for every door the ways to say much with few bytes. Each is given as a function
// of its size, so that a small one can go before it.

import { gzipSync } from 'node:zlib'

export interface MemoryRequest {
  readonly path: string
  readonly body: Uint8Array | string
  readonly headers?: Readonly<Record<string, string>>
}

export interface MemoryInput {
  /** What its door takes. */
  readonly bytesMax: number
  request(size: number, orgId: string): MemoryRequest
  /** What counts as its size where it is not that of the body. */
  size?(size: number): number
}

const writeBytes = 24_900_000
const jsonBytes = 4_000_000
const queryBytes = 10_000_000

/** Pieces by their number until there are enough bytes. */
function filled(size: number, piece: (i: number) => string, between = '\n'): string {
  const pieces: string[] = []
  let length = 0
  for (let i = 0; length < size; i++) {
    const text = piece(i)
    length += text.length + between.length
    if (length <= size) pieces.push(text)
  }
  return pieces.join(between)
}

const base36 = (i: number) => i.toString(36)

const write = (line: (i: number) => string, first = ''): MemoryInput => ({
  bytesMax: writeBytes,
  request: (size) => ({
    path: '/api/v2/write?org=o&bucket=b',
    body: first + filled(size - first.length, line),
  }),
})

const wideLine = (count: number) => `m ${filled(count * 7, (i) => `f${base36(i)}=1`, ',')}`

const day = 86_400_000_000_000n

const post = (path: string, bytesMax: number, body: (size: number, orgId: string) => string) => ({
  bytesMax,
  request: (size: number, orgId: string) => ({
    path,
    body: body(size, orgId),
    headers: { 'content-type': 'application/json' },
  }),
})

const query = (path: string, key: string, text: (size: number) => string): MemoryInput =>
  post(path, queryBytes, (size) => JSON.stringify({ [key]: text(size - 100), db: 'b' }))

/** `/query` takes forms. */
const form = (text: (size: number) => string): MemoryInput => ({
  bytesMax: queryBytes,
  request: (size) => ({
    path: '/query?db=b',
    body: `q=${text(size - 100)}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }),
})

export const memoryInputs: Readonly<Record<string, MemoryInput>> = {
  points: write((i) => `cpu,host=h${i % 100} a=${i % 10},b=1.5 ${1_600_000_000 + i}000000000`),
  'one field': write((i) => `m f=1 ${i}`),
  'new fields': write((i) => `m f${base36(i)}=1`),
  'new fields of a measurement each': write((i) => `m${base36(i % 10_000)} f${base36(i)}=1`),
  'new fields on one line': write((i) => (i === 0 ? '' : wideLine(400_000)).slice(0, 3_000_000)),
  'wide lines far apart': write((i) => `${wideLine(60_000)} ${BigInt(i) * 110n * day}`),
  'few of many fields': write((i) => `m f${base36(i % 50_000)}=1 ${i}`, `${wideLine(50_000)}\n`),
  'all types of a field': write(
    (i) => `m f${base36(i % 9999)}=${['1', '1i', '1u', 't', '"x"'][i % 5]}`,
  ),
  'strings of all fields': write((i) => `m f${base36(i % 50_000)}="${base36(i)}" ${i}`),
  'new series': write((i) => `m,t=${base36(i)} f=1`),
  'new series of a measurement each': write((i) => `m${base36(i % 20_000)},t=${base36(i)} f=1`),
  'new tags': write((i) => `m,t${base36(i)}=x f=1`),
  'many tags': write((i) => `m,${filled(1400, (j) => `t${j}=${base36(i)}`, ',')} f=1`),
  'new measurements': write((i) => `m${base36(i)} f=1`),
  'long keys': write((i) => `m,t=${base36(i)}${'x'.repeat(60_000)} f=1`),
  shards: write((i) => `m f=1 ${BigInt(i) * 7n * day}`),
  'long strings': write((i) => `m s="${'x'.repeat(60_000)}${i}" ${i}`),
  'one string': write((i) => (i === 0 ? `m s="${'x'.repeat(24_000_000)}"` : '')),
  'other strings': write((i) => `m s="${base36(i)}" ${i}`),
  'bad lines': write(() => 'm'),
  'bad long lines': write(() => `m ${'f=1,'.repeat(20_000)}`),
  blanks: write(() => ''),
  comments: write(() => '#'),
  'types that conflict': write((i) => `m f=${i % 2 === 0 ? '1' : '1i'} ${i}`),
  'packed points': {
    bytesMax: writeBytes,
    size: (size) => size,
    request: (size) => ({
      path: '/api/v2/write?org=o&bucket=b',
      body: gzipSync(filled(size, (i) => `m f=1 ${i % 9}`)),
      headers: { 'content-encoding': 'gzip' },
    }),
  },
  'packed zeros': {
    bytesMax: 20 * writeBytes,
    size: () => writeBytes,
    request: (size) => ({
      path: '/api/v2/write?org=o&bucket=b',
      body: gzipSync(Buffer.alloc(size)),
      headers: { 'content-encoding': 'gzip' },
    }),
  },
  'v3 points': {
    bytesMax: writeBytes,
    request: (size) => ({
      path: '/api/v3/write_lp?db=b&precision=second&accept_partial=true',
      body: filled(size, (i) => `m,t=${base36(i)} f${i % 90}=1 ${i}`),
    }),
  },
  'json lists': post('/api/v2/dashboards', jsonBytes, (size, orgID) =>
    JSON.stringify({ orgID, name: 'd', cells: [] }).replace(
      '[]',
      `[${'[],'.repeat(size / 3 - 50)}[]]`,
    ),
  ),
  'json depth': post('/api/v2/dashboards', jsonBytes, (size) => `{"a":${'['.repeat(size - 9)}`),
  'json keys': post('/api/v2/buckets', jsonBytes, (size, orgID) => {
    const keys = filled(size - 99, (i) => `"${base36(i)}":1`, ',')
    return `{"orgID":"${orgID}","name":"b${size}",${keys}}`
  }),
  'json description': post('/api/v2/buckets', jsonBytes, (size, orgID) =>
    JSON.stringify({ orgID, name: `b${size}`, description: 'x'.repeat(size - 99) }),
  ),
  'variable values': post('/api/v2/variables', jsonBytes, (size, orgID) => {
    const values = filled(size - 200, (i) => `"${base36(i)}"`, ',')
    return `{"orgID":"${orgID}","name":"v${size}","arguments":{"type":"constant","values":[${values}]}}`
  }),
  'dashboard cells': post('/api/v2/dashboards', jsonBytes, (size, orgID) => {
    const cells = filled(size - 99, (i) => `{"x":${i % 9},"y":1,"w":1,"h":1}`, ',')
    return `{"orgID":"${orgID}","name":"d","cells":[${cells}]}`
  }),
  'template of many': post('/api/v2/templates/apply', jsonBytes, (size, orgID) => {
    const one = (i: number) =>
      `{"apiVersion":"influxdata.com/v2alpha1","kind":"Label","metadata":{"name":"l${base36(i)}"}}`
    return `{"orgID":"${orgID}","dryRun":true,"template":{"contents":[${filled(size - 99, one, ',')}]}}`
  }),
  'template of lists': post('/api/v2/templates/apply', jsonBytes, (size, orgID) => {
    const contents = `[${'[],'.repeat(20_000)}[]]`
    const count = Math.max(1, Math.floor(size / 61_000))
    return JSON.stringify({ orgID, dryRun: true, templates: Array(count).fill({ contents }) })
  }),
  'template of aliases': post('/api/v2/templates/apply', jsonBytes, (size, orgID) => {
    const laughs = ['a: &a0 [x,x,x,x,x,x,x,x,x,x]']
    for (let i = 1; i < 12; i++)
      laughs.push(
        `b${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(',')}]`,
      )
    const contents = `${laughs.join('\n')}\n# ${'x'.repeat(Math.max(0, size - 2000))}`
    return JSON.stringify({ orgID, dryRun: true, templates: [{ contentType: 'yaml', contents }] })
  }),
  'flux list': query(
    '/api/v2/query?org=o',
    'query',
    (size) => `a = [${'1,'.repeat(size / 2 - 9)}1]`,
  ),
  'flux depth': query('/api/v2/query?org=o', 'query', (size) => `a = ${'['.repeat(size - 9)}`),
  'flux pipes': query(
    '/api/v2/query?org=o',
    'query',
    (size) => `f = (t=<-) => t\n1${'|>f()'.repeat(size / 5 - 9)}`,
  ),
  'flux assignments': query('/api/v2/query?org=o', 'query', (size) =>
    filled(size, (i) => `a${base36(i)}=1`, ' '),
  ),
  'flux record': query(
    '/api/v2/query?org=o',
    'query',
    (size) => `a={${filled(size - 9, (i) => `a${base36(i)}:1`, ',')}}`,
  ),
  'flux escapes': post(
    '/api/v2/query?org=o',
    queryBytes,
    (size) => `{"query":"${'\\n'.repeat(size / 2 - 20)}1"}`,
  ),
  'flux comments': query('/api/v2/query?org=o', 'query', (size) => '//\n'.repeat(size / 5)),
  'flux parameters': post(
    '/api/v2/query?org=o',
    queryBytes,
    (size) => `{"query":"1","params":{"a":[${'1,'.repeat(size / 2 - 30)}1]}}`,
  ),
  'flux tree': post(
    '/api/v2/query/ast',
    jsonBytes,
    (size) => `{"query":"${'('.repeat(70)}1${' '.repeat(size - 300)}${')'.repeat(70)}"}`,
  ),
  'flux tree of many': post(
    '/api/v2/query/ast',
    jsonBytes,
    (size) => `{"query":"[${'1,'.repeat(size / 2 - 50)}1]"}`,
  ),
  'form of many': {
    bytesMax: queryBytes,
    request: (size) => ({
      path: '/query?db=b',
      body: `q=SHOW+DATABASES&${filled(size - 100, base36, '&')}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  },
  'form of blanks': form((size) => `SHOW+DATABASES${'+'.repeat(size - 20)}`),
  'influxql parameters': form(
    (size) => `SHOW+DATABASES&params={"a":[${'[],'.repeat(size / 3 - 30)}[]]}`,
  ),
  'influxql statements': form((size) => 'SHOW+DATABASES;'.repeat(size / 15)),
  'influxql condition': form(
    (size) => `SELECT f FROM m WHERE ${'t=1 OR '.repeat(size / 7 - 9)}t=1`,
  ),
  'influxql fields': form((size) => `SELECT ${'f,'.repeat(size / 2 - 20)}f FROM m`),
  'influxql depth': form((size) => `SELECT ${'('.repeat(size - 20)}`),
  'sql list': query(
    '/api/v3/query_sql',
    'q',
    (size) => `SELECT 1 IN (${'1,'.repeat(size / 2 - 20)}1)`,
  ),
  'sql depth': query('/api/v3/query_sql', 'q', (size) => `SELECT ${'('.repeat(size - 20)}`),
  'sql columns': query('/api/v3/query_sql', 'q', (size) => `SELECT ${'1,'.repeat(size / 2 - 20)}1`),
  'delete predicate': post('/api/v2/delete?org=o&bucket=b', jsonBytes, (size) => {
    const predicate = filled(size - 200, (i) => `t${base36(i)}="x"`, ' AND ')
    const range = { start: '2020-01-01T00:00:00Z', stop: '2021-01-01T00:00:00Z' }
    return JSON.stringify({ ...range, predicate })
  }),
  'prometheus write': {
    bytesMax: writeBytes,
    request: (size) => ({
      path: '/api/v1/prom/write?db=b',
      body: Buffer.alloc(size, 0x0a),
      headers: { 'content-encoding': 'snappy', 'content-type': 'application/x-protobuf' },
    }),
  },
}

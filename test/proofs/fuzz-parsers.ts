// The parsers that bytes of strangers go through, called as they are: each takes any bytes and either reads them or
// says what is wrong with an error that is meant for users (or for operators, of files). Anything else is a finding.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { templateContents } from '../../src/catalog/templates/template-text.js'
import { allTime } from '../../src/column/time.js'
import { CorruptionError, UserError } from '../../src/errors.js'
import { readCommand } from '../../src/flight/commands.js'
import {
  readAction,
  readDescriptor,
  readFlightData,
  readTicket,
} from '../../src/flight/messages.js'
import { readParameters } from '../../src/flight/parameters.js'
import { readTicketContent } from '../../src/flight/ticket.js'
import { FluxLanguage } from '../../src/flux/flux.js'
import { influxql } from '../../src/influxql/influxql.js'
import { LineProtocolParser } from '../../src/line-protocol/parser.js'
import { printWriteBatch } from '../../src/line-protocol/printer.js'
import { openShard } from '../../src/migrate/sources/shard-folder.js'
import { MemoryDisk } from '../../src/platform/memory-disk.js'
import { parseDeletePredicate } from '../../src/service/delete-predicate.js'
import { decodeBlock } from '../../src/tsm/encoding/block.js'
import { DamageError } from '../../src/tsm/encoding/damage.js'
import { readShard } from '../../src/tsm/shard/shard-reader.js'

export interface Fuzzer {
  readonly examples: readonly (string | Uint8Array)[]
  readonly words: readonly string[]
  /** Resolves where the input is read or refused as it should be. */
  run(input: Buffer): unknown
}

/** Runs, and lets pass what is meant to be thrown. */
function orRefused(work: () => unknown, ...kinds: (abstract new (...args: never[]) => Error)[]) {
  const pass = (error: unknown) => {
    if (!kinds.some((kind) => error instanceof kind)) throw error
  }
  try {
    const result = work()
    return result instanceof Promise ? result.catch(pass) : result
  } catch (error) {
    return pass(error)
  }
}

const corpus = (path: string) => readFileSync(join(process.cwd(), 'test/corpus/fuzz', path))

const lineProtocol: Fuzzer = {
  examples: [
    'm,t=a,u=b\\ c f=1.5,i=-3i,u=4u,s="x \\"y\\"",b=true 1600000000000000000\nm f=1\n',
    '# comment\nweather,place=a\\,b temp=21.5e3 -1\n\n a\\ b,c\\=d=e f\\,g=t 9223372036854775806\n',
    'cpu,host=h1 a=1,b=2,c=3 1\ncpu,host=h1 a=1,b=2,c=3 2\ncpu,host=h2 a=1i 3\n',
  ],
  words: [
    ',',
    ' ',
    '=',
    '\\',
    '"',
    '\n',
    '\r\n',
    'i',
    'u',
    '1e999',
    'true',
    '99999999999999999999',
    '-',
  ],
  run(input) {
    // What was read can be printed and read again, as the same points.
    const now = 1_600_000_000_000_000_000n
    const parser = new LineProtocolParser({ measurementsMax: 1000 })
    const parsed = parser.parse(input, { precision: 'ns', now })
    const text = printWriteBatch(parsed.batch)
    const again = new LineProtocolParser().parse(Buffer.from(text), { precision: 'ns', now })
    if (again.errorCount > 0 || again.batch.pointCount !== parsed.batch.pointCount) {
      throw new Error(`printed as what cannot be read: ${JSON.stringify(text.slice(0, 500))}`)
    }
  },
}

const influxqlText: Fuzzer = {
  examples: [
    `SELECT mean("f"), max(i) FROM "db"."rp"./m.*/ WHERE t = 'a' AND time > now() - 1h ` +
      `GROUP BY time(5m, 10s), * fill(previous) ORDER BY time DESC LIMIT 5 SOFFSET 1 ` +
      `tz('Europe/Berlin')`,
    `SELECT derivative(mean(f), 1s) + 2 * (f - 1) AS x INTO a..b FROM (SELECT * FROM m), ` +
      `n WHERE t =~ /a\\/b/ OR s != 'x\\'y'; SHOW TAG VALUES FROM m WITH KEY IN ("a", "b") ` +
      `WHERE x = 1`,
    `CREATE CONTINUOUS QUERY q ON d RESAMPLE EVERY 1h FOR 2h BEGIN SELECT count(f) INTO x ` +
      `FROM m GROUP BY time(1h) END; DROP SERIES FROM m WHERE t = 'a'`,
  ],
  words: [
    'SELECT',
    'FROM',
    '(',
    ')',
    ',',
    '/',
    "'",
    '"',
    'GROUP BY',
    'time(',
    'AND',
    '::field',
    '*',
    '-',
    '1h',
    ';',
    '$a',
    '=~',
    'fill(',
  ],
  run: (input) => orRefused(() => influxql.prepare(input.toString()), UserError),
}

const fluxLanguage = new FluxLanguage()

const fluxText: Fuzzer = {
  examples: [
    'import "strings"\noption task = {name: "t", every: 1h}\nf = (x=<-, n=2) => x |> ' +
      'map(fn: (r) => ({r with v: strings.toUpper(v: r.s)}))\nfrom(bucket: "b") |> ' +
      'range(start: -1h) |> filter(fn: (r) => r._field == "f" and r.x > 1.0) |> f()',
    'a = [1, 2, 3]\nb = ["k": 1, "l": 2]\nc = if exists a[0] then "${string(v: a[1])}" ' +
      'else "x"\nd = {a: 1, "b c": 2.0e0}\ne = d.a + a[2] ^ 2 % 3\n(() => {\n  return ' +
      '2020-01-01T00:00:00Z\n})()',
    'builtin f : (<-t: stream[A], fn: (r: A) => bool) => stream[A] where A: Record\nx = ' +
      '/a.*b/ =~ "s" or not true',
  ],
  words: [
    '|>',
    '=>',
    '(',
    ')',
    '{',
    '}',
    '[',
    ']',
    'with',
    'import "',
    'option',
    'return',
    '"',
    '${',
    '/',
    '.',
    '1mo',
    'and',
    'if ',
    'then',
    'else',
    '<-',
    '?',
  ],
  run(input) {
    const text = input.toString()
    fluxLanguage.analyze(text)
    return orRefused(() => fluxLanguage.prepare(text), UserError)
  },
}

const predicates: Fuzzer = {
  examples: ['_measurement="m" AND (t = "a b" and "x"=\'y\')', 'a="b"'],
  words: ['AND', 'or', '=', '!=', '"', "'", '(', ')', '\\'],
  run: (input) => orRefused(() => parseDeletePredicate(input.toString()), UserError),
}

const template = `apiVersion: influxdata.com/v2alpha1
kind: Bucket
metadata: &x {name: a-b}
spec:
  name: b
  retentionRules: [{type: expire, everySeconds: 3600}]
---
kind: Label
metadata: *x
`

const templates: Fuzzer = {
  examples: [
    template,
    '[{"apiVersion":"influxdata.com/v2alpha1","kind":"Task","metadata":{"name":"t"},"spec":{"query":"x"}}]',
  ],
  words: [
    '&a',
    '*a',
    '---\n',
    '- ',
    ': ',
    '{',
    '}',
    '[',
    ']',
    '<<: *a',
    '!!binary ',
    '|\n',
    '>\n',
    '?',
    '"',
    '#',
    '\t',
  ],
  run: (input) => orRefused(() => templateContents([{ contents: input.toString() }]), UserError),
}

const flightBytes: Fuzzer = {
  examples: [
    Buffer.from([8, 2, 18, 3, 1, 2, 3]),
    Buffer.from('\n\u0012{"database":"b"}x', 'latin1'),
    Buffer.from(
      '\nAtype.googleapis.com/arrow.flight.protocol.sql.CommandStatementQuery\u0012\u000b\n\tSELECT 1',
      'latin1',
    ),
    Buffer.from('{"database":"b","sql_query":"SELECT 1","query_type":"sql","params":{"a":1}}'),
  ],
  words: [
    '\n',
    '\u0012',
    '\u0080\u0001',
    'type.googleapis.com/arrow.flight.protocol.sql.',
    'CommandGetTables',
    '{',
    '"',
    '\u007f',
  ],
  async run(input) {
    const readers = [
      readCommand,
      readDescriptor,
      readTicket,
      readAction,
      readFlightData,
      readTicketContent,
    ]
    for (const read of readers) orRefused(() => read(input), UserError)
    await orRefused(() => readParameters(input), UserError)
  },
}

async function readFiles(name: string, bytes: Buffer): Promise<void> {
  const disk = new MemoryDisk()
  for (const folder of ['d', 'w']) await disk.makeDir(folder)
  const path = name.endsWith('.wal') ? `w/_${name}` : `d/${name}`
  const file = await disk.open(path, 'create')
  await file.write([bytes], 0)
  await file.close()
  const onDamage = () => undefined
  const shard = await openShard(disk, 'd', 'w', onDamage as never)
  try {
    const request = {
      layers: shard.layers,
      range: allTime,
      seriesTarget: (key: Uint8Array) => ({ measurement: 'm', key }),
      fieldTarget: (_: string, field: string, type: string) => ({ name: field, type }),
      onDamage,
    }
    for (const batch of readShard(request as never)) if (batch.tables.length < 0) return
  } finally {
    await shard.close()
  }
}

const tsm: Fuzzer = {
  examples: [corpus('tsm/small.tsm')],
  words: [
    '\u0016\u00d1\u0016\u00d1',
    '\u00ff\u00ff\u00ff\u00ff',
    '\u0000\u0000\u0000\u0000',
    '#!~#',
  ],
  run: (input) => orRefused(() => readFiles('000000001-000000001.tsm', input), CorruptionError),
}

const wal: Fuzzer = {
  examples: [corpus('wal/small.wal')],
  words: ['\u0001', '\u0002', '\u00ff\u00ff\u00ff\u00ff', '\u0000\u0000\u0000\u0000'],
  run: (input) => orRefused(() => readFiles('00001.wal', input), CorruptionError),
}

/** Blocks of the file above, whose checksums are made right again, so that what is inside gets read. */
function blocksOf(file: Buffer): Buffer[] {
  const blocks: Buffer[] = []
  for (let start = 5; start < file.length - 8; start++) {
    for (let end = start + 20; end < Math.min(file.length - 8, start + 400); end++) {
      if (file.readUInt32BE(start) !== crc32(file.subarray(start + 4, end))) continue
      blocks.push(file.subarray(start, end))
      break
    }
  }
  return blocks
}

const tsmBlocks: Fuzzer = {
  examples: blocksOf(corpus('tsm/small.tsm')),
  words: ['\u00ff\u00ff\u00ff\u00ff', '\u0010', '\u0020', '\u001f', '\u0000'],
  run(input) {
    const block = Buffer.concat([Buffer.alloc(4), input.subarray(4)])
    block.writeUInt32BE(crc32(block.subarray(4)) >>> 0, 0)
    return orRefused(() => decodeBlock(block, 0n, false), DamageError)
  },
}

export const parsers: Readonly<Record<string, Fuzzer>> = {
  'line-protocol': lineProtocol,
  influxql: influxqlText,
  flux: fluxText,
  predicates,
  templates,
  'flight-messages': flightBytes,
  tsm,
  wal,
  'tsm-blocks': tsmBlocks,
}

// What comes in by files and from other servers: CSV and JSON lines as imports read them, and msgpack as migrations
// get it in answers. A row becomes one line and never two, whatever stands in its cells.

import { UserError } from '../../src/errors.js'
import { pointBatches } from '../../src/formats/point-batches.js'
import { LineProtocolParser } from '../../src/line-protocol/parser.js'
import { MsgpackStream } from '../../src/migrate/connection/msgpack.js'
import type { Fuzzer } from './fuzz-parsers.js'

const pass = (error: unknown) => {
  if (!(error instanceof UserError)) throw error
}

/** Cut in two, as streams are. */
async function* inPieces(input: Buffer): AsyncGenerator<Uint8Array> {
  const middle = input.length >> 1
  yield input.subarray(0, middle)
  yield input.subarray(middle)
}

async function importFile(input: Buffer, format: 'csv' | 'jsonl'): Promise<void> {
  const parser = new LineProtocolParser({ measurementsMax: 1000 })
  const batches = pointBatches(inPieces(input), format, { measurement: 'm' })
  for await (const { bytes, pointCount } of batches) {
    const { lineCount } = parser.parse(bytes, { precision: 'ns', now: 1n })
    if (lineCount !== pointCount) throw new Error(`${pointCount} points in ${lineCount} lines`)
  }
}

const csv: Fuzzer = {
  examples: [
    'time,host,load,n\n2020-01-01T00:00:00Z,a,1.5,1\n2020-01-01T00:00:01Z,"b ""c""",,2\n',
    '#group,false,false,true,true,false,true,true\n' +
      '#datatype,string,long,dateTime:RFC3339,string,double,string,string\n' +
      '#default,_result,,,,,,\n,result,table,_time,host,_value,_field,_measurement\n' +
      ',,0,2020-01-01T00:00:00Z,a,1.5,f,m\n',
    '#datatype measurement,tag,double,dateTime:number\nm,host,load,time\ncpu,a,64,1600000000000\n',
    '#constant measurement,cpu\n#timezone -0500\n#datatype dateTime:2006-01-02,long,tag\n' +
      't,f,h\n2020-01-01,5,a\n',
  ],
  words: [',', '"', '""', '\n', '\r\n', '#datatype ', '#constant ', '#default', 'dateTime:', ';'],
  run: (input) => importFile(input, 'csv').catch(pass),
}

const jsonLines: Fuzzer = {
  examples: [
    '{"time":"2020-01-01T00:00:00Z","host":"a","load":1.5,"n":1,"ok":true}\n{"time":1,"load":2}\n',
    '{"measurement":"cpu","tags":{"host":"a b"},"fields":{"f":1.0,"i":9007199254740993},' +
      '"time":1600000000}\n',
  ],
  words: ['{', '}', '[', ']', '"', ':', ',', '\\u0000', '\\ud800', '1e999', 'null', '\n', '-0'],
  run: (input) => importFile(input, 'jsonl').catch(pass),
}

const answer = Buffer.concat([
  Buffer.from('\x81\xa7results\x91\x82\xacstatement_id\x00\xa6series\x91\x81\xa6values', 'latin1'),
  Buffer.from('\x91\x93\xcf\0\0\0\0\0\0\0\x01\xcb\x3f\xf8\0\0\0\0\0\0\xc0', 'latin1'),
])

/** Nobody's answer: lists in lists, as deep as there are bytes. */
const nested = Buffer.alloc(8000, 0x91)

const msgpack: Fuzzer = {
  examples: [answer, Buffer.concat([answer, answer]), nested],
  words: ['\n', '0', 'results'],
  run(input) {
    const stream = new MsgpackStream()
    const middle = input.length >> 1
    try {
      stream.push(input.subarray(0, middle))
      stream.push(input.subarray(middle))
    } catch (error) {
      pass(error)
    }
  },
}

export const imports: Readonly<Record<string, Fuzzer>> = { csv, 'json-lines': jsonLines, msgpack }

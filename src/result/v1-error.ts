// What is wrong with a whole request, in the form its answer was to have, as InfluxDB 1.x prints it.
// Errors of single statements stand in their results and are the encoders' own affair.

import { ByteWriter } from './byte-writer.js'
import type { ResultFormat } from './format.js'
import { writeJsonString } from './json-string.js'
import { writeCsvField } from './v1-csv.js'
import { writeMsgpackString } from './v1-msgpack.js'

/** Members of the error by name, `error` before all others; CSV has a column for that one only. */
export function encodeError(
  members: Readonly<Record<string, string | number>>,
  format: Pick<ResultFormat, 'encoding' | 'isPretty'>,
): Uint8Array {
  const out = new ByteWriter()
  switch (format.encoding) {
    case 'json':
      writeJson(out, members, format.isPretty)
      break
    case 'csv':
      out.ascii('error\n')
      writeCsvField(out, String(members.error))
      out.ascii('\n')
      break
    case 'msgpack':
      writeMsgpack(out, members)
  }
  return out.take()
}

type Members = Parameters<typeof encodeError>[0]

function writeJson(out: ByteWriter, members: Members, isPretty: boolean): void {
  const [indent, colon] = isPretty ? ['\n    ', ': '] : ['', ':']
  for (const [index, [name, value]] of Object.entries(members).entries()) {
    out.ascii(`${index === 0 ? '{' : ','}${indent}"${name}"${colon}`)
    if (typeof value === 'string') writeJsonString(out, value)
    else out.ascii(String(value))
  }
  out.ascii(isPretty ? '\n}\n' : '}\n')
}

/** Texts only: queries have no numbers to tell. */
function writeMsgpack(out: ByteWriter, members: Members): void {
  const texts = Object.entries(members).filter(([, value]) => typeof value === 'string')
  out.put(Uint8Array.of(0x80 | texts.length))
  for (const [name, value] of texts) {
    writeMsgpackString(out, name)
    writeMsgpackString(out, value as string)
  }
}

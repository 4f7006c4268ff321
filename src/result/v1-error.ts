// What is wrong with a whole request, in the form its answer was to have, as InfluxDB 1.x prints it.
// Errors of single statements stand in their results and are the encoders' own affair.

import { ByteWriter } from './byte-writer.js'
import type { ResultFormat } from './format.js'
import { writeJsonString } from './json-string.js'
import { writeCsvField } from './v1-csv.js'
import { writeMsgpackString } from './v1-msgpack.js'

export function encodeError(
  message: string,
  format: Pick<ResultFormat, 'encoding' | 'isPretty'>,
): Uint8Array {
  const out = new ByteWriter()
  switch (format.encoding) {
    case 'json':
      out.ascii(format.isPretty ? '{\n    "error": ' : '{"error":')
      writeJsonString(out, message)
      out.ascii(format.isPretty ? '\n}\n' : '}\n')
      break
    case 'csv':
      out.ascii('error\n')
      writeCsvField(out, message)
      out.ascii('\n')
      break
    case 'msgpack':
      out.put(Uint8Array.of(0x81))
      writeMsgpackString(out, 'error')
      writeMsgpackString(out, message)
  }
  return out.take()
}

// What a request is called in its answer's headers and in the log: what its client calls it, or a number of
// 16 hexadecimal digits.

import type { Random } from '../../platform/random.js'

/** The client's own id where it is one that can stand in a header and a log line. */
export function requestId(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  random: Random,
): string {
  const given = headers['request-id'] ?? headers['x-request-id']
  if (typeof given === 'string' && /^[\x21-\x7e]{1,128}$/.test(given)) return given
  return hexWord(random.uint32()) + hexWord(random.uint32())
}

const hexBytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function hexWord(word: number): string {
  const high = hexBytes[word >>> 24] + hexBytes[(word >>> 16) & 255]
  return high + hexBytes[(word >>> 8) & 255] + hexBytes[word & 255]
}

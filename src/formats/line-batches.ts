// A stream of line protocol cut into batches of whole lines. A line ends at a line feed that is not within a quoted
// string of a field; quotes before the fields mean nothing. Lines that begin with `#` are comments.

const newline = 10
const space = 32
const quote = 34
const hash = 35
const backslash = 92

/** Where in a line the last byte was. */
const atStart = 0
const inKey = 1
const inFields = 2
const inString = 3
const inComment = 4

export interface LineBatch {
  readonly bytes: Uint8Array
  /** Of its first line, counted from 1. */
  readonly firstLine: number
  /** Line feeds in it. */
  readonly lineCount: number
  /** Lines that are neither blank nor comments; a text over several lines is a part of its line. */
  readonly pointCount: number
}

/** A line that is longer than this is no line: it is sent on as it is, for the server to refuse. */
const lineBytesMax = 16_000_000

/** Batches of about so many bytes. */
export async function* lineBatches(
  chunks: AsyncIterable<Uint8Array>,
  batchBytes: number,
): AsyncGenerator<LineBatch> {
  let rest = Buffer.alloc(0)
  let firstLine = 1
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk])
    if (rest.length < batchBytes) continue
    const end = scan(rest).end || (rest.length > lineBytesMax ? rest.length : 0)
    if (end === 0) continue
    const batch = batchOf(rest.subarray(0, end), firstLine)
    yield batch
    firstLine += batch.lineCount
    rest = rest.subarray(end)
  }
  if (rest.length > 0) yield batchOf(rest, firstLine)
}

function batchOf(bytes: Uint8Array, firstLine: number): LineBatch {
  let lineCount = 0
  for (const byte of bytes) if (byte === newline) lineCount++
  if (bytes.at(-1) !== newline) lineCount++
  return { bytes, firstLine, lineCount, pointCount: scan(bytes).pointCount }
}

/** `end`: right after the last line feed that ends a line; 0: there is none. */
function scan(bytes: Uint8Array): { readonly end: number; readonly pointCount: number } {
  let state = atStart
  let end = 0
  let pointCount = 0
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === newline && state !== inString) {
      end = i + 1
      if (state === inKey || state === inFields) pointCount++
      state = atStart
    } else if (state === atStart) {
      if (byte === hash) state = inComment
      else if (byte !== space) state = inKey
      if (byte === backslash) i++
    } else if (state === inComment) {
    } else if (byte === backslash && bytes[i + 1] !== newline) {
      i++
    } else if (state === inKey) {
      if (byte === space) state = inFields
    } else if (byte === quote) {
      state = state === inString ? inFields : inString
    }
  }
  const isWithin = state !== atStart && state !== inComment
  return { end, pointCount: pointCount + (isWithin ? 1 : 0) }
}

// What an export of InfluxDB says between its lines of line protocol: which database those that follow belong to, and
// what has to be made first.

export interface ContextPart {
  /** How many lines of the batch stand before it. */
  readonly line: number
  readonly bytes?: Uint8Array
  readonly statement?: string
  readonly database?: string
  readonly policy?: string
}

/** A batch between the context lines of an export; one part where there are none. */
export function* contextParts(bytes: Uint8Array): Generator<ContextPart> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  let start = 0
  let startLine = 0
  let line = 0
  for (let at = 0; at < buffer.length; ) {
    const found = buffer.indexOf(10, at)
    const end = found < 0 ? buffer.length : found + 1
    const context = contextOf(buffer, at, end)
    line++
    if (context !== undefined) {
      if (at > start) yield { line: startLine, bytes: buffer.subarray(start, at) }
      yield { line, ...context }
      start = end
      startLine = line
    }
    at = end
  }
  if (start < buffer.length) yield { line: startLine, bytes: buffer.subarray(start) }
}

const hash = 35
const letterC = 67

function contextOf(
  buffer: Buffer,
  start: number,
  end: number,
): Omit<ContextPart, 'line'> | undefined {
  if (buffer[start] !== hash && buffer[start] !== letterC) return undefined
  const line = buffer.toString('utf8', start, Math.min(end, start + 4096)).trim()
  const context = /^#\s*CONTEXT-(DATABASE|RETENTION-POLICY):\s*(.+)$/.exec(line)
  if (context !== null) {
    return context[1] === 'DATABASE' ? { database: context[2] } : { policy: context[2] }
  }
  // A measurement of that name would have a comma or a field behind it.
  return /^CREATE (DATABASE|RETENTION POLICY) [^=]+$/.test(line) ? { statement: line } : undefined
}

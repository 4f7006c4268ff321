// An answer of JSON lines as it comes, an object
// a line.

import { UserError } from '../../errors.js'

export async function* jsonLines(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '') yield rowOf(line)
  }
  if (rest !== '') yield rowOf(rest)
}

/** One that is no JSON, or tells of an error, is where the answer broke off. */
function rowOf(line: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(line)
  } catch {
    throw new UserError('invalid', `the answer broke off: ${line.slice(0, 200)}`)
  }
}

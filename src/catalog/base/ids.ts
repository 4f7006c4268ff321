// Ids of resources: 64 bits as exactly 16 lower-case hex characters, never all zero. What is not an
// id is told with the texts that the interface promises.

import { UserError } from '../../errors.js'
import type { Random } from '../../platform/random.js'

const idPattern = /^[0-9a-f]{16}$/
const zeroId = '0000000000000000'

export function newId(random: Random): string {
  for (;;) {
    const id = Buffer.from(random.bytes(8)).toString('hex')
    if (id !== zeroId) return id
  }
}

export function isId(text: string): boolean {
  return idPattern.test(text) && text !== zeroId
}

/** The id, or the error that the interface promises for a text that is none. */
export function parseId(text: string): string {
  if (text.length !== 16) throw new UserError('invalid', 'id must have a length of 16 bytes')
  if (!isId(text)) throw new UserError('invalid', 'invalid ID')
  return text
}

// Functions of the library that can be named and are type checked but do nothing here, because what they need is not
// part of this service.

import { FluxError } from '../value/error.js'
import { type Definition, native } from './define.js'

/** `name`: with its package, as a script writes it. */
export function unavailable(name: string, type: string, reason: string): Definition {
  return native(type, () => {
    throw new FluxError(`${name}() is not available here: ${reason}`, 'not implemented')
  })
}

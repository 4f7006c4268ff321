// The package `experimental/usage`: what an organization of a hosted service has used up, and what its plan
// allows. Nothing is billed here, so that there is nothing to tell.

import { FluxError } from '../../../value/error.js'
import { type Definition, native, type PackageDefinition } from '../../define.js'

const fromType = `(
  start: A, stop: B, ?host: string, ?orgID: string, ?token: string, ?raw: bool
) => stream[C] where A: Timeable, B: Timeable, C: Record`

const limitsType = '(?host: string, ?orgID: string, ?token: string) => A'

export const usagePackage: PackageDefinition = {
  path: 'experimental/usage',
  name: 'usage',
  builtins: [
    ['from', unavailable('from', fromType)],
    ['limits', unavailable('limits', limitsType)],
  ],
}

function unavailable(name: string, type: string): Definition {
  return native(type, () => {
    const reason = 'this service keeps no account of usage and limits'
    throw new FluxError(`usage.${name}() is not available here: ${reason}`, 'not implemented')
  })
}

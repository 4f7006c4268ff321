// The packages `runtime` and `system`: about the
// program that runs the script.

import { type Definitions, native } from '../../package/define.js'
import { Time } from '../../value/value.js'

/** The version of Flux whose library this is: scripts and tools compare it. */
export const fluxVersion = 'v0.195.2'

export const runtimeBuiltins: Definitions = {
  version: native('() => string', () => fluxVersion),
}

export const systemBuiltins: Definitions = {
  time: native('() => time', ({ context }) => new Time(context.scope.clock.now())),
}

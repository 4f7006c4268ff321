// The packages `runtime` and `system`: about the
// program that runs the script.

import { Time } from '../../value/value.js'
import { native, type PackageDefinition } from '../define.js'

/** The version of Flux whose library this is: scripts and tools compare it. */
export const fluxVersion = 'v0.195.2'

export const runtimePackage: PackageDefinition = {
  path: 'runtime',
  name: 'runtime',
  builtins: [['version', native('() => string', () => fluxVersion)]],
}

export const systemPackage: PackageDefinition = {
  path: 'system',
  name: 'system',
  builtins: [['time', native('() => time', ({ context }) => new Time(context.scope.clock.now()))]],
}

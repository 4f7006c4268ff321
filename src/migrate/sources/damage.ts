// What a migration does about damaged files: the first one ends it, unless damaged blocks are to be skipped; then each
// is noted with its file and offset.

import { CorruptionError } from '../../errors.js'
import type { DamageHandler } from '../../tsm/shard/field-stream.js'

/** Undefined where it was damaged and the handler goes on. */
export function handleDamage<T>(onDamage: DamageHandler, read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error
    onDamage(error)
    return undefined
  }
}

export function throwDamage(damage: CorruptionError): never {
  throw damage
}

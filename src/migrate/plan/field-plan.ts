// What becomes of fields that have several types. InfluxDB allows a field to have another type in another shard; here
// a measurement's field has one. Integers join floats; anything else that differs from the main type, the one with
// most values, is kept under a name of its own: `field_string`.

import type { FieldType } from '../../column/column.js'
import type { FieldTarget } from '../../tsm/shard/shard-reader.js'
import type { FieldWeights } from './field-weights.js'

export interface FieldConflict {
  readonly measurement: string
  readonly field: string
  readonly type: FieldType
  /** What its values become. */
  readonly target: FieldTarget
}

export class FieldPlan {
  readonly conflicts: readonly FieldConflict[]
  readonly #targets = new Map<string, FieldTarget>()

  /** `taken`: types that the target has already, which nothing can change. */
  constructor(weights: FieldWeights, taken: ReadonlyMap<string, ReadonlyMap<string, FieldType>>) {
    const conflicts: FieldConflict[] = []
    for (const [measurement, fields] of weights) {
      const names = new Set(fields.keys())
      for (const [field, types] of fields) {
        const main = taken.get(measurement)?.get(field) ?? mainType(types)
        for (const type of types.keys()) {
          if (type === main) continue
          const target = otherTarget(field, type, main, names)
          names.add(target.name)
          this.#targets.set(keyOf(measurement, field, type), target)
          conflicts.push({ measurement, field, type, target })
        }
      }
    }
    this.conflicts = conflicts
  }

  targetOf(measurement: string, field: string, type: FieldType): FieldTarget {
    const found =
      this.#targets.size === 0 ? undefined : this.#targets.get(keyOf(measurement, field, type))
    return found ?? { name: field, type }
  }
}

function otherTarget(
  field: string,
  type: FieldType,
  main: FieldType,
  names: ReadonlySet<string>,
): FieldTarget {
  if (main === 'float' && (type === 'integer' || type === 'unsigned')) {
    return { name: field, type: 'float' }
  }
  let name = `${field}_${type}`
  while (names.has(name)) name += '_'
  return { name, type }
}

/** Float where there is one among numbers only: integers can become floats, and not the other way. */
function mainType(types: ReadonlyMap<FieldType, number>): FieldType {
  const isNumeric = [...types.keys()].every((type) => type !== 'string' && type !== 'boolean')
  if (isNumeric && types.has('float')) return 'float'
  return [...types].reduce((most, next) => (next[1] > most[1] ? next : most))[0]
}

function keyOf(measurement: string, field: string, type: FieldType): string {
  return JSON.stringify([measurement, field, type])
}

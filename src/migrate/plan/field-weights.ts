// Which fields a source has, and how much of each type: what
// decides when a field has several.

import type { FieldType } from '../../column/column.js'

/**
 * By measurement and field: how much of each type there is. More is a larger number; of files it is about the number of
 * values.
 */
export type FieldWeights = Map<string, Map<string, Map<FieldType, number>>>

export function addWeight(
  weights: FieldWeights,
  measurement: string,
  field: string,
  type: FieldType,
  weight: number,
): void {
  const fields = weights.get(measurement) ?? new Map<string, Map<FieldType, number>>()
  if (fields.size === 0) weights.set(measurement, fields)
  const types = fields.get(field) ?? new Map<FieldType, number>()
  if (types.size === 0) fields.set(field, types)
  types.set(type, (types.get(type) ?? 0) + weight)
}

export function addWeights(into: FieldWeights, more: FieldWeights, scale = 1): void {
  for (const [measurement, fields] of more) {
    for (const [field, types] of fields) {
      for (const [type, weight] of types) addWeight(into, measurement, field, type, weight * scale)
    }
  }
}

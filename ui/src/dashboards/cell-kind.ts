// A cell as one of another kind: what both kinds have stays, queries, note, prefix, suffix and decimal places among
// it; colours only where they mean the same.

import type { ViewProperties } from '../api/dashboard-types.js'
import { newProperties, storedColour, type ViewKind } from '../api/new-cells.js'
import { scaleOf } from './view-properties.js'

const plainColours = new Set<ViewKind>(['heatmap', 'scatter', 'mosaic'])
const stats = new Set<ViewKind>(['single-stat', 'line-plus-single-stat'])

export function ofKind(before: ViewProperties, kind: ViewKind): ViewProperties {
  const { queries, note, showNoteWhenEmpty, prefix, suffix, decimalPlaces, axes } = before
  const type = before.type as ViewKind
  const fresh = newProperties(kind, Array.isArray(queries) ? queries : [])
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries({
    note,
    showNoteWhenEmpty,
    prefix,
    suffix,
    decimalPlaces,
    axes,
  })) {
    if (value !== undefined && name in fresh) kept[name] = value
  }
  const isAlike = (kinds: ReadonlySet<ViewKind>) => kinds.has(kind) && kinds.has(type)
  if (isAlike(stats) || isAlike(plainColours)) kept.colors = before.colors
  else if ('xColumn' in fresh && !plainColours.has(kind) && !plainColours.has(type)) {
    const scale = scaleOf(before).map((hex, i) => storedColour(hex, 'scale', 0, `scale-${i}`))
    if (scale.length > 0) kept.colors = scale
  }
  return { ...fresh, ...kept }
}

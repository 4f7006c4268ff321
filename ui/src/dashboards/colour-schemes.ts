// Colours to choose from for the series of a cell: the page's own, which colour-blind eyes tell apart, and scales
// whose names other programs know.

import { heatRamp } from '../chart/colours.js'
import type { StoredColour } from './view-properties.js'

const own = 'The page’s own'
const stored = 'As stored'

/** Without colours: the page's own palette, for light and dark. */
export const colourSchemes: readonly {
  readonly name: string
  readonly hexes: readonly string[]
}[] = [
  { name: own, hexes: [] },
  { name: 'Nineteen Eighty Four', hexes: ['#31c0f6', '#a500a5', '#ff7e27'] },
  { name: 'Delorean', hexes: ['#fd7a5d', '#5f1cf2', '#4ce09a'] },
  { name: 'Heat', hexes: heatRamp },
  { name: 'Blue to red', hexes: ['#2b6cb0', '#a0aec0', '#c53030'] },
  { name: 'Greens', hexes: ['#14532d', '#22c55e', '#bef264'] },
]

export function schemeColours(name: string) {
  const hexes = colourSchemes.find((scheme) => scheme.name === name)?.hexes ?? []
  return hexes.map((hex, i) => ({ id: `scale-${i}`, type: 'scale', hex, name, value: 0 }))
}

/** What the stored ones are called; colours of somebody's own are none of these. */
export function schemeNamed(colours: readonly StoredColour[]): string {
  const hexes = colours.filter(({ type }) => type === 'scale').map(({ hex }) => hex.toLowerCase())
  const found = colourSchemes.find(
    (scheme) =>
      scheme.hexes.length === hexes.length && scheme.hexes.every((hex, i) => hex === hexes[i]),
  )
  return found?.name ?? stored
}

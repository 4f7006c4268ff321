// Colours that are stored with a cell: scales between a few of them, thresholds, and the same colour made readable on
// the page's ground, which may be another than the one it was chosen on.

export interface Threshold {
  readonly value: number
  readonly colour: string
}

type Rgb = readonly [number, number, number]

export function rgbOf(hex: string): Rgb | undefined {
  const found = /^#?([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(hex.trim())
  if (found === null) return undefined
  return [found[1], found[2], found[3]].map((part) => Number.parseInt(part, 16)) as unknown as Rgb
}

function hexOf(rgb: Rgb): string {
  return `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`
}

/** So many colours, evenly between the given ones. */
export function scaleColours(given: readonly string[], count: number): string[] {
  const stops = given.map(rgbOf).filter((stop) => stop !== undefined)
  if (stops.length === 0) return []
  return Array.from({ length: count }, (_, i) =>
    hexOf(between(stops, count === 1 ? 0 : i / (count - 1))),
  )
}

/** The colour at a part (0 to 1) of a scale. */
export function colourAt(given: readonly string[], part: number): string {
  const stops = given.map(rgbOf).filter((stop) => stop !== undefined)
  return stops.length === 0 ? '#888888' : hexOf(between(stops, part))
}

function between(stops: readonly Rgb[], part: number): Rgb {
  const at = Math.min(Math.max(part, 0), 1) * (stops.length - 1)
  const low = Math.floor(at)
  const high = Math.min(low + 1, stops.length - 1)
  return stops[low].map((value, i) => value + (stops[high][i] - value) * (at - low)) as never
}

/** The last whose value is reached; the first where none is. */
export function thresholdAt(
  thresholds: readonly Threshold[],
  value: number,
): Threshold | undefined {
  const sorted = thresholds.toSorted((a, b) => a.value - b.value)
  return sorted.findLast((one) => value >= one.value) ?? sorted[0]
}

function luminance(rgb: Rgb): number {
  const [r, g, b] = rgb.map((part) => {
    const share = part / 255
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

export function contrast(a: string, b: string): number {
  const [first, second] = [rgbOf(a), rgbOf(b)]
  if (first === undefined || second === undefined) return 1
  const [x, y] = [luminance(first), luminance(second)]
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05)
}

/** The colour, darker or lighter in small steps until it stands out on the ground by the ratio. */
export function readable(colour: string, ground: string, ratio: number): string {
  const [rgb, below] = [rgbOf(colour), rgbOf(ground)]
  if (rgb === undefined || below === undefined) return colour
  const end: Rgb = luminance(below) > 0.2 ? [0, 0, 0] : [255, 255, 255]
  for (let step = 0; step <= 20; step++) {
    const tried = hexOf(between([rgb, end], step / 20))
    if (contrast(tried, ground) >= ratio) return tried
  }
  return hexOf(end)
}

/** Black or white, whichever is read better on it. */
export function textOn(ground: string): string {
  return contrast('#ffffff', ground) >= contrast('#101216', ground) ? '#ffffff' : '#101216'
}

/** Dark to light in one ramp, for heat maps without colours of their own. */
export const heatRamp = [
  '#440154',
  '#482878',
  '#3e4a89',
  '#31688e',
  '#26828e',
  '#1f9e89',
  '#35b779',
  '#6ece58',
  '#b5de2b',
  '#fde725',
]

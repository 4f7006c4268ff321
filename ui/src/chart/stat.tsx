// One number, as large as its place allows. Its colour, or that of its ground, may follow thresholds; a stored colour
// that could not be read on this page is made darker or lighter.

import { useComputedColorScheme } from '@mantine/core'
import { readable, type Threshold, textOn, thresholdAt } from './colours.js'
import { type Size, useSize } from './use-size.js'

export interface StatProps {
  readonly text: string
  /** Absent: it is no number, and has the first colour. */
  readonly value?: number | undefined
  readonly thresholds?: readonly Threshold[]
  readonly isGround?: boolean
  readonly label: string
  /** Of the letters; default: 72. */
  readonly pixelsMax?: number
}

export function Stat(props: StatProps) {
  const { text, value, thresholds = [], isGround = false, label, pixelsMax = 72 } = props
  const [frame, size] = useSize<HTMLDivElement>()
  const page = useComputedColorScheme('light') === 'dark' ? '#16181d' : '#ffffff'
  const chosen = thresholdAt(thresholds, value ?? Number.NEGATIVE_INFINITY)?.colour
  const colour = chosen === undefined ? undefined : readable(chosen, page, 4.5)
  const style = isGround
    ? { background: chosen, color: chosen === undefined ? undefined : textOn(chosen) }
    : { color: colour }
  return (
    <div className="stat" ref={frame} role="img" aria-label={`${label} ${text}`} style={style}>
      <span style={{ fontSize: fontPixels(text, size, pixelsMax) }}>{text}</span>
    </div>
  )
}

/** A digit is about 0.6 of its height wide. */
function fontPixels(text: string, { width, height }: Size, most: number): number {
  const byWidth = (width * 0.86) / (Math.max(text.length, 3) * 0.6)
  return Math.round(Math.max(13, Math.min(byWidth, height * 0.55, most)))
}

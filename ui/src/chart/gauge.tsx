// A value between two ends on three quarters of a circle: the stretch up to it is filled, the thresholds lie around it
// as a thin band, the ends are written below.

import { useComputedColorScheme } from '@mantine/core'
import { readable, type Threshold, thresholdAt } from './colours.js'
import { axisText, type ValueFormat, valueText } from './format.js'

export interface GaugeProps {
  readonly value: number
  /** With the lower end as the first and the upper as the last. */
  readonly thresholds: readonly Threshold[]
  readonly format?: ValueFormat | undefined
  readonly tickFormat?: ValueFormat | undefined
  readonly label: string
}

const [startDegrees, sweepDegrees] = [225, 270]

export function Gauge({ value, thresholds, format, tickFormat, label }: GaugeProps) {
  const page = useComputedColorScheme('light') === 'dark' ? '#16181d' : '#ffffff'
  const sorted = thresholds.toSorted((a, b) => a.value - b.value)
  const low = sorted[0]?.value ?? 0
  const high = sorted.length > 1 ? sorted[sorted.length - 1].value : low + 100
  const part = (at: number) =>
    high === low ? 0 : Math.min(1, Math.max(0, (at - low) / (high - low)))
  const colour = thresholdAt(sorted.slice(0, Math.max(1, sorted.length - 1)), value)?.colour
  const text = valueText(value, format)
  return (
    <div className="gauge">
      <svg viewBox="0 0 200 172" role="img" aria-label={`${label} ${text}, of ${low} to ${high}`}>
        <path d={arc(80, 0, 1)} className="gauge-track" />
        <path
          d={arc(80, 0, part(value))}
          className="gauge-value"
          stroke={colour ?? 'var(--accent)'}
        />
        {sorted.slice(0, -1).map((one, i) => (
          <path
            // biome-ignore lint/suspicious/noArrayIndexKey: two may have the same value
            key={i}
            d={arc(92, part(one.value), part(sorted[i + 1].value))}
            className="gauge-band"
            stroke={one.colour}
          />
        ))}
        <text
          x="100"
          y="106"
          className="gauge-text"
          fontSize={Math.min(34, 210 / Math.max(4, text.length))}
          fill={colour === undefined ? 'var(--text)' : readable(colour, page, 4.5)}
        >
          {text}
        </text>
        <text x="68" y="164" className="gauge-end">
          {axisText(low, tickFormat)}
        </text>
        <text x="132" y="164" className="gauge-end">
          {axisText(high, tickFormat)}
        </text>
      </svg>
    </div>
  )
}

function arc(radius: number, from: number, to: number): string {
  if (to <= from) return ''
  const at = (part: number) => {
    const angle = ((startDegrees - sweepDegrees * part) * Math.PI) / 180
    return `${(100 + radius * Math.cos(angle)).toFixed(2)} ${(98 - radius * Math.sin(angle)).toFixed(2)}`
  }
  const isLarge = (to - from) * sweepDegrees > 180 ? 1 : 0
  return `M${at(from)}A${radius} ${radius} 0 ${isLarge} 1 ${at(to)}`
}

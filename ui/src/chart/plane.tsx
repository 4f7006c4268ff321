// Two axes and what lies between them, for charts that are no lines over time: points, bins, tiles. Axes are numbers
// or moments; what is drawn gets the scales.

import { type ReactNode, useMemo } from 'react'
import { axisText, timeTick, type ValueFormat } from './format.js'
import { useSize } from './use-size.js'

export interface PlaneAxis {
  readonly low: number
  readonly high: number
  readonly isTime?: boolean
  readonly label?: string | undefined
  readonly format?: ValueFormat | undefined
  /** Names in the place of numbers, from the bottom up: tile rows. */
  readonly names?: readonly string[] | undefined
}

export interface Scales {
  readonly x: (value: number) => number
  readonly y: (value: number) => number
  readonly width: number
  readonly height: number
}

export interface PlaneProps {
  readonly x: PlaneAxis
  readonly y: PlaneAxis
  readonly label: string
  readonly children: (scales: Scales) => ReactNode
}

export function Plane({ x, y, label, children }: PlaneProps) {
  const [frame, size] = useSize<HTMLDivElement>()
  const yTicks = useMemo(() => (y.names === undefined ? ticks(y, size.height / 40) : []), [y, size])
  const texts = y.names ?? yTicks.map((value) => tickText(value, y, yTicks))
  const longest = Math.max(2, ...texts.map((text) => text.length))
  const left = Math.min(16 + 6.6 * longest, size.width * 0.4) + (y.label ? 16 : 0)
  const bottom = 22 + (x.label ? 16 : 0)
  const inner = {
    width: Math.max(size.width - left - 8, 10),
    height: Math.max(size.height - bottom - 6, 10),
  }
  const scales: Scales = {
    ...inner,
    x: (value) => ((value - x.low) / (x.high - x.low || 1)) * inner.width,
    y: (value) => inner.height - ((value - y.low) / (y.high - y.low || 1)) * inner.height,
  }
  const xTicks = ticks(x, inner.width / 80)
  return (
    <div className="plane" ref={frame}>
      {size.width > 0 && (
        <svg width={size.width} height={size.height} role="img" aria-label={label}>
          <g transform={`translate(${left} 6)`}>
            {yTicks.map((value) => (
              <g key={value} transform={`translate(0 ${scales.y(value)})`}>
                <line x2={inner.width} className="plane-line" />
                <text x={-6} dy="0.32em" textAnchor="end">
                  {tickText(value, y, yTicks)}
                </text>
              </g>
            ))}
            {y.names?.map((name, i) => (
              <text key={name} x={-6} y={scales.y(i + 0.5)} dy="0.32em" textAnchor="end">
                {name.length > 24 ? `${name.slice(0, 23)}…` : name}
              </text>
            ))}
            {xTicks.map((value) => (
              <g key={value} transform={`translate(${scales.x(value)} 0)`}>
                <line y2={inner.height} className="plane-line" />
                <text y={inner.height + 16} textAnchor="middle">
                  {tickText(value, x, xTicks)}
                </text>
              </g>
            ))}
            {children(scales)}
            {x.label && (
              <text x={inner.width / 2} y={inner.height + 32} textAnchor="middle">
                {x.label}
              </text>
            )}
            {y.label && (
              <text
                transform={`translate(${12 - left} ${inner.height / 2}) rotate(-90)`}
                textAnchor="middle"
              >
                {y.label}
              </text>
            )}
          </g>
        </svg>
      )}
    </div>
  )
}

const timeSteps = [
  1, 5, 10, 30, 60, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800,
  604_800, 2_592_000, 7_776_000, 31_536_000,
].map((seconds) => seconds * 1000)

/** About so many round values between the ends. */
export function ticks({ low, high, isTime }: PlaneAxis, count: number): number[] {
  const rough = (high - low) / Math.max(1, Math.floor(count))
  if (!(rough > 0) || !Number.isFinite(rough)) return []
  const step = isTime ? (timeSteps.find((one) => one >= rough) ?? rough) : roundStep(rough)
  const found: number[] = []
  for (let i = Math.ceil(low / step); i * step <= high && found.length < 50; i++) {
    found.push(Number((i * step).toPrecision(12)))
  }
  return found
}

function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough))
  const factor = [1, 2, 5, 10].find((one) => one * power >= rough * 0.999) ?? 10
  return factor * power
}

function tickText(value: number, { isTime, format }: PlaneAxis, all: readonly number[]): string {
  if (!isTime) return axisText(value, format)
  return timeTick(value, all.length > 1 ? all[1] - all[0] : 86_400_000)
}

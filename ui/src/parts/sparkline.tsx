// The last values of a figure as a small line, for those who see it: the figure itself stands beside it. Drawn from
// zero, so that half as high is half as much. Where fewer are known than there is room for, the rest stays empty.

const width = 64
const height = 16

export interface SparklineProps {
  readonly values: readonly number[]
  /** How many there is room for. Absent: for those that there are. */
  readonly room?: number
}

export function Sparkline({ values, room = values.length }: SparklineProps) {
  const most = Math.max(1e-9, ...values)
  const step = width / Math.max(1, room - 1)
  const first = room - values.length
  const points = values.map(
    (value, i) =>
      `${((first + i) * step).toFixed(1)},${(height - 1 - (value / most) * (height - 2)).toFixed(1)}`,
  )
  return (
    <svg className="sparkline" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {values.length > 1 && <polyline points={points.join(' ')} />}
    </svg>
  )
}

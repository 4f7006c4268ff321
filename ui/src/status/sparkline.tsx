// The last values of a figure as a small line, for those who see it: the figure itself stands beside it. Drawn from
// zero, so that half as high is half as much.

const width = 64
const height = 16

export function Sparkline({ values }: { readonly values: readonly number[] }) {
  const most = Math.max(1e-9, ...values)
  const step = width / Math.max(1, values.length - 1)
  const points = values.map(
    (value, i) =>
      `${(i * step).toFixed(1)},${(height - 1 - (value / most) * (height - 2)).toFixed(1)}`,
  )
  return (
    <svg className="sparkline" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {values.length > 1 && <polyline points={points.join(' ')} />}
    </svg>
  )
}

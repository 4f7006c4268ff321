// Times as what they differ from a line by (drawn in `time-block.ts`): from times to residuals and their common scale,
// and back.

import { at8 } from './bits'

/**
 * residuals[i] = time - first time of its series - rows since then * step, all divided by what they are multiples of,
 * which is returned; and the first time of each series.
 */
export function residualsOf(
  times: usize,
  ends: usize,
  seriesCount: i32,
  step: f64,
  firsts: usize,
  residuals: usize,
): f64 {
  let scale: f64 = 0
  let row = 0
  for (let s = 0; s < seriesCount; s++) {
    const stop = load<i32>(ends + (s << 2))
    const first = load<f64>(at8(times, row))
    store<f64>(at8(firsts, s), first)
    for (let k = 0; row < stop; row++, k++) {
      const residual = load<f64>(at8(times, row)) - first - <f64>k * step
      store<f64>(at8(residuals, row), residual)
      if (!isMultiple(residual, scale)) scale = commonDivisor(scale, abs(residual))
    }
  }
  if (scale === 0) return 1
  if (scale > 1) {
    const stop = at8(residuals, row)
    for (let at = residuals; at < stop; at += 8) store<f64>(at, load<f64>(at) / scale)
  }
  return scale
}

/** A division tells it in a tenth of a remainder's time; residuals are far below where it would be wrong. */
function isMultiple(residual: f64, scale: f64): bool {
  if (residual === 0 || scale === 1) return true
  if (scale === 0) return false
  const times = residual / scale
  return times === floor(times)
}

function commonDivisor(one: f64, other: f64): f64 {
  let divisor = <i64>one
  let rest = <i64>other
  while (rest !== 0) {
    const next = divisor % rest
    divisor = rest
    rest = next
  }
  return <f64>divisor
}

/** From residuals to times, for rows `from` up to `to` of a series whose row `from` is on the line at `first`. */
export function addLine(
  values: usize,
  from: i32,
  to: i32,
  first: f64,
  step: f64,
  scale: f64,
): void {
  const firsts = f64x2.splat(first)
  const steps = f64x2.splat(step)
  const scales = f64x2.splat(scale)
  const two = f64x2.splat(2)
  let rows = f64x2(0, 1)
  let i = from
  for (; i + 1 < to; i += 2) {
    const at = at8(values, i)
    const onLine = f64x2.add(firsts, f64x2.mul(rows, steps))
    v128.store(at, f64x2.add(onLine, f64x2.mul(v128.load(at), scales)))
    rows = f64x2.add(rows, two)
  }
  if (i === to) return
  const last = at8(values, i)
  store<f64>(last, first + <f64>(i - from) * step + load<f64>(last) * scale)
}

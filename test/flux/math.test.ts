// The package math, call by call: what Go's own functions give, to twelve digits. Where figures are exact they are in
// corpus/flux/values.

import { expect, it } from 'vitest'
import { runRows } from './run-flux.js'

const cases: readonly (readonly [expression: string, value: number])[] = [
  ['math.abs(x: -1.22)', 1.22],
  ['math.acosh(x: 1.22)', 0.6517292837263385],
  ['math.atan2(y: 1.22, x: 3.14)', 0.3705838802763881],
  ['math.cbrt(x: 1728.0)', 12],
  ['math.copysign(x: 1.0, y: -2.0)', -1],
  ['math.dim(x: 12.2, y: 8.1)', 4.1],
  ['math.erf(x: 22.6)', 1],
  ['math.erf(x: 0.5)', 0.5204998778130465],
  ['math.erfc(x: 2.5)', 0.0004069520174449589],
  ['math.erfinv(x: 0.22)', 0.19750838337227364],
  ['math.erfcinv(x: 0.42345)', 0.5660037715858239],
  ['math.exp2(x: 10.0)', 1024],
  ['math.expm1(x: 0.000022)', 0.000022000242001774],
  ['math.frexp(f: 22.0).frac', 0.6875],
  ['math.gamma(x: 2.12)', 1.056821007887572],
  ['math.gamma(x: -1.5)', 2.363271801207355],
  ['math.hypot(p: 2.0, q: 5.0)', 5.385164807134504],
  ['math.j0(x: 1.23)', 0.656070571706025],
  ['math.jn(n: 2, x: 1.23)', 0.16636938378681407],
  ['math.y0(x: 3.14)', 0.3289375969127807],
  ['math.yn(n: 3, x: 3.14)', -0.4866506930335083],
  ['math.ldexp(frac: 0.5, exp: 6)', 32],
  ['math.lgamma(x: 3.14).lgamma', 0.8261387047770286],
  ['math.log1p(x: 3.14)', 1.4206957878372228],
  ['math.logb(x: 3.14)', 1],
  ['math.mMax(x: 1.23, y: 3.14)', 3.14],
  ['math.mod(x: 1.23, y: 3.14)', 1.23],
  ['math.modf(f: 3.14).frac', 0.14],
  ['math.nextafter(x: 1.23, y: 3.14)', 1.2300000000000002],
  ['math.pow(x: 2.0, y: 3.0)', 8],
  ['math.pow10(n: 3)', 1000],
  ['math.remainder(x: 21.0, y: 4.0)', 1],
  ['math.remainder(x: 7.0, y: 4.0)', -1],
  ['math.remainder(x: 6.0, y: 4.0)', -2],
  ['math.round(x: -2.5)', -3],
  ['math.roundtoeven(x: 2.5)', 2],
  ['math.trunc(x: -1.7)', -1],
  ['math.sqrtphi', 1.272019649514069],
]

it.each(cases)('%s', async (expression, value) => {
  const [row] = await runRows(
    `import "array"\nimport "math"\narray.from(rows: [{v: ${expression}}])`,
  )
  expect(row.v).toBeCloseTo(value, 12)
})

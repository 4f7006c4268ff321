// holt_winters against answers of InfluxDB 1.6.7 for the same windows, and the cases in which there
// is nothing to predict.

import { expect, it } from 'vitest'
import { type Row, transformRows } from '../../../test/influxql/point-table.js'

const windowNs = 10_000_000_000n
const floats = [44.787, -40.587, -45.342, 18.04, -0.488, 48.017]
const integers = [5n, 17n, 20n, 7n, 1n, 16n]
const rowsOf = (values: (number | bigint)[]): Row[] =>
  values.map((value, i) => [BigInt(i) * windowNs, value])

function expectNear(rows: readonly Row[], expected: number[]): void {
  expect(rows.length).toBe(expected.length)
  rows.forEach((row, i) => {
    expect(Math.abs(Number(row[1]) / expected[i] - 1)).toBeLessThan(1e-9)
  })
}

const intervalNs = windowNs

it('without a season', () => {
  const options = { args: '3, 0', intervalNs, blockLength: 4 }
  const rows = transformRows('holt_winters', 'float', rowsOf(floats), options)
  expect(rows.map((row) => row[0] / windowNs)).toEqual([6n, 7n, 8n])
  expectNear(rows, [-4.076989491964457, -4.076989497254143, -4.076989497483551])
})

it('with the fit', () => {
  const options = { args: '2, 1', intervalNs }
  const rows = transformRows('holt_winters_with_fit', 'float', rowsOf(floats), options)
  expect(rows.map((row) => row[0] / windowNs)).toEqual([0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n])
  expectNear(
    rows,
    [
      44.787, -4.078902683580914, -4.075488228309409, -4.076921817893382, -4.076986557815066,
      -4.076989369995322, -4.076989491964457, -4.076989497254143,
    ],
  )
})

// With a season the search is so long that how a machine rounds decides where it ends; these are from an ARM machine.
it.runIf(process.arch === 'arm64')('with a season', () => {
  const options = { args: '4, 2', intervalNs }
  const rows = transformRows('holt_winters', 'integer', rowsOf(integers), options)
  expectNear(rows, [16.993968180357196, 15.509035903072103, 16.25745306397247, 21.84301241318652])
})

it('gives nothing where there is nothing to predict from', () => {
  const options = { args: '2, 4', intervalNs }
  expect(transformRows('holt_winters', 'float', rowsOf([1]), options)).toEqual([])
  expect(transformRows('holt_winters', 'float', rowsOf([1, 2, 3]), options)).toEqual([])
  const sameWindow: Row[] = [
    [1n, 1],
    [2n, 2],
  ]
  expect(transformRows('holt_winters', 'float', sameWindow, { ...options, args: '2, 0' })).toEqual(
    [],
  )
  const newestFirst = rowsOf(floats).reverse()
  expect(transformRows('holt_winters', 'float', newestFirst, options)).toEqual([])
})

it('windows without a point are passed over', () => {
  const rows = rowsOf(floats).filter((_, i) => i !== 2)
  const options = { args: '1, 0', intervalNs }
  const [[time, value], ...more] = transformRows('holt_winters', 'float', rows, options)
  expect(more).toEqual([])
  expect(time).toBe(6n * windowNs)
  expect(Number.isFinite(value)).toBe(true)
})

it('refuses a span of more intervals than it can go over', () => {
  const rows: Row[] = [
    [0n, 1],
    [2_000_000n, 2],
  ]
  const options = { args: '1, 0', intervalNs: 1n }
  expect(() => transformRows('holt_winters', 'float', rows, options)).toThrow(/more than 100000$/)
})

// A number, and a gauge: the latest value of the answer
// in the cell's colours.

import type { ViewProperties } from '../api/dashboards.js'
import { valueText } from '../chart/format.js'
import { Gauge } from '../chart/gauge.js'
import { Stat } from '../chart/stat.js'
import { Empty } from '../parts/states.js'
import { latestOf } from '../query/latest.js'
import type { Result } from '../query/result.js'
import { coloursOf, thresholdsOf, tickFormatOf, valueFormatOf } from './view-properties.js'

export interface StatCellProps {
  readonly properties: ViewProperties
  readonly result: Result
  readonly label: string
}

export function StatCell({ properties, result, label }: StatCellProps) {
  const latest = latestOf(result)
  if (latest === undefined) return <Empty title="No value" />
  const { value } = latest
  const { prefix = '', suffix = '', ...rest } = valueFormatOf(properties)
  const text = value === undefined ? latest.text : valueText(value, rest)
  const isGround = coloursOf(properties).some(({ type }) => type === 'background')
  const thresholds = thresholdsOf(properties, isGround ? ['background'] : ['text'])
  return (
    <Stat
      text={`${prefix}${text}${suffix}`}
      value={value}
      thresholds={thresholds}
      isGround={isGround}
      label={label}
    />
  )
}

export function GaugeCell({ properties, result, label }: StatCellProps) {
  const latest = latestOf(result)
  if (latest?.value === undefined) return <Empty title="No number" />
  return (
    <Gauge
      value={latest.value}
      thresholds={thresholdsOf(properties, ['min', 'threshold', 'max'])}
      format={valueFormatOf(properties)}
      tickFormat={tickFormatOf(properties)}
      label={label}
    />
  )
}

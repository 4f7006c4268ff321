// Lines over time as a cell says: geometry, stacking, shade, axis, colours. With a number on top where the kind is
// both, with ground between upper and lower lines where it is a band, with thresholds where it is a check.

import { useMemo } from 'react'
import type { ViewProperties } from '../api/dashboards.js'
import { contrast, readable, scaleColours, type Threshold } from '../chart/colours.js'
import { valueText } from '../chart/format.js'
import { Graph, type GraphProps } from '../chart/graph.js'
import { Stat } from '../chart/stat.js'
import { countText } from '../parts/figures.js'
import { latestOf } from '../query/latest.js'
import { linesOf } from '../query/lines.js'
import type { Result } from '../query/result.js'
import { type Series, seriesOf } from '../query/series.js'
import type { CellSurroundings } from './cell-surroundings.js'
import {
  axisOf,
  listOf,
  membersOf,
  numberOf,
  scaleOf,
  textOf,
  thresholdsOf,
  valueFormatOf,
} from './view-properties.js'

export interface GraphCellProps {
  readonly properties: ViewProperties
  readonly result: Result
  readonly around: CellSurroundings
}

export function GraphCell({ properties, result, around }: GraphCellProps) {
  const { series, total } = useMemo(() => chosenSeries(result, properties), [result, properties])
  const colours = useMemo(
    () => storedColours(properties, series.length, around.isDark),
    [properties, series.length, around.isDark],
  )
  const axis = axisOf(properties, 'y')
  const { type, legendHide } = properties
  return (
    <div className="with-note">
      {total > series.length && (
        <p className="small muted">
          {countText(series.length)} of {countText(total)} series are drawn.
        </p>
      )}
      <div className="graph-cell">
        <Graph
          series={series}
          moments={around.moments}
          onZoom={around.onZoom}
          onZoomBack={around.onZoomBack}
          format={axis.format}
          geometry={geometryOf(properties)}
          isShaded={properties.shadeBelow === true || properties.position === 'stacked'}
          isStacked={properties.position === 'stacked'}
          yRange={[axis.low, axis.high]}
          hasLegend={legendHide !== true && around.isRoomy}
          syncKey={around.syncKey}
          {...(colours.length > 0 ? { colours } : {})}
          {...(axis.label === '' ? {} : { yLabel: axis.label })}
          {...(type === 'check' ? { thresholds: checkThresholds(properties) } : {})}
          {...(type === 'band' ? { bands: bandsOf(series, properties, colours) } : {})}
        />
        {type === 'line-plus-single-stat' && (
          <NumberOnTop properties={properties} result={result} />
        )}
      </div>
    </div>
  )
}

function NumberOnTop({ properties, result }: Pick<GraphCellProps, 'properties' | 'result'>) {
  const latest = latestOf(result)
  if (latest === undefined) return null
  const text =
    latest.value === undefined ? latest.text : valueText(latest.value, valueFormatOf(properties))
  return (
    <div className="number-on-top">
      <Stat
        text={text}
        value={latest.value}
        thresholds={thresholdsOf(properties, ['text'])}
        isGround={false}
        label="Now"
        pixelsMax={44}
      />
    </div>
  )
}

/** Of stacked lines every point counts: they are sums. */
function chosenSeries(result: Result, { yColumn, position }: ViewProperties) {
  const found = position === 'stacked' ? seriesOf(result.tables) : linesOf(result)
  const name = textOf(yColumn)
  if (name === '' || name === '_value') return found
  const own = found.series.filter(({ field }) => field === name)
  return own.length === 0 ? found : { series: own, total: own.length }
}

/** Where a stored colour could hardly be seen on this page it is made darker or lighter. */
export function storedColours(
  properties: ViewProperties,
  count: number,
  isDark: boolean,
): string[] {
  const ground = isDark ? '#16181d' : '#ffffff'
  return scaleColours(scaleOf(properties), count).map((colour) =>
    contrast(colour, ground) < 2 ? readable(colour, ground, 2) : colour,
  )
}

function geometryOf({ geom }: ViewProperties): NonNullable<GraphProps['geometry']> {
  if (geom === 'step' || geom === 'stepBefore' || geom === 'stepAfter') return 'step'
  if (geom === 'bar') return 'bar'
  return geom === 'points' ? 'points' : 'line'
}

/** Series of one line, by its tags: the yields that are called main, upper and lower. */
function bandsOf(
  series: readonly Series[],
  { upperColumn, lowerColumn, mainColumn }: ViewProperties,
  colours: readonly string[],
): NonNullable<GraphProps['bands']> {
  const sameLine = (a: Series, b: Series) =>
    a.field === b.field && JSON.stringify(a.tags) === JSON.stringify(b.tags)
  return series.flatMap((main, i) => {
    if (main.origin !== textOf(mainColumn)) return []
    const at = (name: unknown) =>
      series.findIndex((one) => one.origin === textOf(name) && sameLine(one, main))
    const [upper, lower] = [at(upperColumn), at(lowerColumn)].map((found) =>
      found < 0 ? i : found,
    )
    return upper === lower ? [] : [{ upper, lower, colour: colours[i] ?? '#4d89fa' }]
  })
}

const levelColours: Readonly<Record<string, string>> = {
  CRIT: '#d1362a',
  WARN: '#d98a00',
  INFO: '#4d89fa',
  OK: '#1a7f37',
}

/** As they stand in the check that the cell holds. */
function checkThresholds({ check }: ViewProperties): Threshold[] {
  return listOf(membersOf(check).thresholds).flatMap((threshold) => {
    const { level, value, min, max } = membersOf(threshold)
    const colour = levelColours[textOf(level)] ?? '#858d99'
    return [value, min, max]
      .map(numberOf)
      .filter((number) => number !== undefined)
      .map((number) => ({ value: number, colour }))
  })
}

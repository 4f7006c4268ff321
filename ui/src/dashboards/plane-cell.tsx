// Cells that are drawn on a plane of two axes: histogram, heat map, scatter, mosaic. Each finds its columns by the
// names that the cell gives.

import { useMemo } from 'react'
import type { ViewProperties } from '../api/dashboards.js'
import { binsOf, extentOf, fieldCounts } from '../chart/bins.js'
import { colourAt, heatRamp } from '../chart/colours.js'
import { momentLabel } from '../chart/format.js'
import { strokeOf } from '../chart/palette.js'
import { Plane, type PlaneAxis } from '../chart/plane.js'
import { countText, plural } from '../parts/figures.js'
import { Empty } from '../parts/states.js'
import { type PointGroup, pointGroups, runRows } from '../query/points.js'
import type { Result } from '../query/result.js'
import type { CellSurroundings } from './cell-surroundings.js'
import { storedColours } from './graph-cell.js'
import { type Axis, flatAxisOf, numberOf, scaleOf, textOf, textsOf } from './view-properties.js'

export interface PlaneCellProps {
  readonly properties: ViewProperties
  readonly result: Result
  readonly around: CellSurroundings
}

export function PlaneCell(props: PlaneCellProps) {
  switch (props.properties.type) {
    case 'histogram':
      return <Histogram {...props} />
    case 'heatmap':
      return <HeatMap {...props} />
    case 'mosaic':
      return <Mosaic {...props} />
    default:
      return <Scatter {...props} />
  }
}

function groupColours({ properties, around }: PlaneCellProps, count: number): string[] {
  const stored = storedColours(properties, count, around.isDark)
  if (stored.length > 0) return stored
  return Array.from({ length: count }, (_, i) => strokeOf(i, around.isDark).colour)
}

function axisWith(axis: Axis, [low, high]: readonly [number, number], isTime = false): PlaneAxis {
  const { label, format } = axis
  return { low: axis.low ?? low, high: axis.high ?? high, isTime, label, format }
}

/** A little room around, so that what lies at an end is seen. */
function padded([low, high]: readonly [number, number]): [number, number] {
  const room = (high - low) * 0.05
  return [low - room, high + room]
}

function usePoints({ properties, result }: PlaneCellProps, y?: string) {
  return useMemo(() => {
    const x = textOf(properties.xColumn) || '_time'
    const by = textsOf(properties.fillColumns)
    return pointGroups(result, { x, y: y ?? (textOf(properties.yColumn) || '_value'), by })
  }, [properties, result, y])
}

function Histogram(props: PlaneCellProps) {
  const { properties, around } = props
  const column = textOf(properties.xColumn) || '_value'
  const { groups } = useMemo(() => {
    const by = textsOf(properties.fillColumns)
    return pointGroups(props.result, { x: column, y: column, by })
  }, [props.result, properties, column])
  const lists = groups.map(({ xs }) => xs)
  const axis = flatAxisOf(properties, 'x')
  const found = extentOf(lists)
  const extent = [axis.low ?? found[0], axis.high ?? found[1]] as const
  const count = Math.min(Math.max(numberOf(properties.binCount) || 30, 1), 500)
  const bins = useMemo(() => binsOf(lists, extent, count), [lists, extent, count])
  if (groups.length === 0) return <Empty title="No numbers to count" />
  const highest = Math.max(1, ...bins.map(({ counts }) => counts.reduce((a, b) => a + b, 0)))
  const colours = groupColours(props, groups.length)
  return (
    <div className="with-note">
      <Plane
        x={axisWith(axis, extent)}
        y={{ low: 0, high: highest * 1.05 }}
        label={`${around.label}: ${plural(lists.flat().length, 'value')} in ${plural(count, 'bin')}`}
      >
        {({ x, y }) =>
          bins.flatMap(({ from, to, counts }, i) => {
            let below = 0
            return counts.map((own, group) => {
              const top = y(below + own)
              const height = y(below) - top
              below += own
              if (own === 0) return null
              return (
                <rect
                  // biome-ignore lint/suspicious/noArrayIndexKey: bins are told by their places
                  key={`${i} ${group}`}
                  x={x(from) + 0.5}
                  y={top}
                  width={Math.max(1, x(to) - x(from) - 1)}
                  height={height}
                  fill={colours[group]}
                >
                  <title>{`${groups[group].label} ${countText(own)}`.trim()}</title>
                </rect>
              )
            })
          })
        }
      </Plane>
      <GroupNames groups={groups.map(({ label }) => label)} colours={colours} />
    </div>
  )
}

function HeatMap(props: PlaneCellProps) {
  const { properties, around } = props
  const { groups, isTime } = usePoints(props)
  const points = useMemo(() => {
    const all: { xs: number[]; ys: number[] } = { xs: [], ys: [] }
    for (const { xs, ys } of groups) {
      for (let i = 0; i < xs.length; i++) {
        all.xs.push(xs[i])
        all.ys.push(ys[i])
      }
    }
    return all
  }, [groups])
  if (points.xs.length === 0) return <Empty title="No points to draw" />
  const xExtent = isTime
    ? ([around.moments.from, around.moments.to] as const)
    : extentOf([points.xs])
  const x = axisWith(flatAxisOf(properties, 'x'), xExtent, isTime)
  const y = axisWith(flatAxisOf(properties, 'y'), extentOf([points.ys]))
  const stored = scaleOf(properties)
  const ramp = stored.length > 0 ? stored : heatRamp
  const size = Math.min(Math.max(numberOf(properties.binSize) || 10, 4), 100)
  return (
    <Plane x={x} y={y} label={`${around.label}: ${plural(points.xs.length, 'point')}`}>
      {({ width, height }) => {
        const columns = Math.max(1, Math.round(width / size))
        const rows = Math.max(1, Math.round(height / size))
        const counts = fieldCounts(points, { ...x, count: columns }, { ...y, count: rows })
        const highest = counts.reduce((a, b) => Math.max(a, b), 0)
        const steps = 12
        const [fieldWidth, fieldHeight] = [width / columns, height / rows]
        const paths = Array.from({ length: steps }, () => '')
        counts.forEach((count, i) => {
          if (count === 0) return
          const step = Math.min(steps - 1, Math.floor((count / highest) * steps))
          const left = ((i % columns) * fieldWidth).toFixed(1)
          const top = (height - (Math.floor(i / columns) + 1) * fieldHeight).toFixed(1)
          paths[step] +=
            `M${left} ${top}h${fieldWidth.toFixed(1)}v${fieldHeight.toFixed(1)}h-${fieldWidth.toFixed(1)}z`
        })
        return paths.map((path, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are told by their places
          <path key={i} d={path} fill={colourAt(ramp, i / (steps - 1))} />
        ))
      }}
    </Plane>
  )
}

function Scatter(props: PlaneCellProps) {
  const { properties, around } = props
  const { groups, isTime, total, count } = usePoints(props)
  if (count === 0) return <Empty title="No points to draw" />
  const xExtent = isTime
    ? ([around.moments.from, around.moments.to] as const)
    : padded(extentOf(groups.map(({ xs }) => xs)))
  const yExtent = padded(extentOf(groups.map(({ ys }) => ys)))
  const colours = groupColours(props, groups.length)
  return (
    <div className="with-note">
      {total > count && (
        <p className="small muted">
          {countText(count)} of {countText(total)} points are drawn.
        </p>
      )}
      <Plane
        x={axisWith(flatAxisOf(properties, 'x'), xExtent, isTime)}
        y={axisWith(flatAxisOf(properties, 'y'), yExtent)}
        label={`${around.label}: ${plural(count, 'point')} in ${plural(groups.length, 'group')}`}
      >
        {({ x, y }) =>
          groups.map((group, i) => (
            <path
              key={group.label}
              d={dots(group, x, y)}
              stroke={colours[i]}
              className="plane-dots"
            />
          ))
        }
      </Plane>
      <GroupNames groups={groups.map(({ label }) => label)} colours={colours} />
    </div>
  )
}

/** One path of strokes without length, whose round ends are the dots. */
function dots(
  { xs, ys }: PointGroup,
  x: (value: number) => number,
  y: (value: number) => number,
): string {
  let path = ''
  for (let i = 0; i < xs.length; i++) path += `M${x(xs[i]).toFixed(1)} ${y(ys[i]).toFixed(1)}h0`
  return path
}

function Mosaic(props: PlaneCellProps) {
  const { properties, result, around } = props
  const { rows, total } = useMemo(() => {
    const by = textsOf(properties.ySeriesColumns)
    const [fill = '_value'] = textsOf(properties.fillColumns)
    return runRows(result, by, fill, around.moments.to)
  }, [properties, result, around.moments.to])
  const values = [...new Set(rows.flatMap(({ runs }) => runs.map(({ value }) => value)))]
  if (rows.length === 0) return <Empty title="No values over time" />
  const colours = groupColours(props, values.length)
  return (
    <div className="with-note">
      {total > rows.length && (
        <p className="small muted">
          {countText(rows.length)} of {countText(total)} rows are drawn.
        </p>
      )}
      <Plane
        x={axisWith(flatAxisOf(properties, 'x'), [around.moments.from, around.moments.to], true)}
        y={{ low: 0, high: rows.length, names: rows.map(({ label }) => label) }}
        label={`${around.label}: ${plural(rows.length, 'row')}, ${values.slice(0, 8).join(', ')}`}
      >
        {({ x, y }) =>
          rows.flatMap(({ label, runs }, row) =>
            runs.map(({ from, to, value }) => (
              <rect
                key={`${label} ${from}`}
                x={Math.max(0, x(from))}
                y={y(row + 1) + 1}
                width={Math.max(1, x(to) - Math.max(0, x(from)) - 1)}
                height={Math.max(1, y(row) - y(row + 1) - 2)}
                fill={colours[values.indexOf(value)]}
              >
                <title>{`${label}: ${value}, from ${momentLabel(from)}`}</title>
              </rect>
            )),
          )
        }
      </Plane>
      <GroupNames groups={values} colours={colours} />
    </div>
  )
}

const namedMax = 20

function GroupNames(props: { readonly groups: readonly string[]; readonly colours: string[] }) {
  const { groups, colours } = props
  if (groups.length < 2 && (groups[0] ?? '') === '') return null
  return (
    <ul className="group-names">
      {groups.slice(0, namedMax).map((name, i) => (
        <li key={name}>
          <svg aria-hidden="true" width="10" height="10">
            <rect width="10" height="10" rx="2" fill={colours[i]} />
          </svg>
          {name === '' ? '–' : name}
        </li>
      ))}
      {groups.length > namedMax && <li>and {countText(groups.length - namedMax)} more</li>}
    </ul>
  )
}

// Lines over time, drawn by uPlot on a canvas. Dragging zooms, shift and dragging moves, a double click goes back; the
// arrow keys move the cursor, and what stands there is read out. The sentence that describes it is its name.

import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useMemo, useRef, useState } from 'react'
import uPlot from 'uplot'
import type { Series } from '../query/series.js'
import { factsOf, isLong, thinned } from '../query/thinned.js'
import type { Moments } from '../query/time-range.js'
import { shownDate } from '../query/time-zone.js'
import { type Aligned, align } from './aligned.js'
import { axisText, momentLabel, timeTick, type ValueFormat, valueText } from './format.js'
import { GraphLegend } from './graph-legend.js'
import { strokeOf } from './palette.js'
import { panningPlugin } from './panning.js'
import { type MovableLine, thresholdDragPlugin } from './threshold-drag.js'

export interface GraphProps {
  readonly series: readonly Series[]
  readonly moments: Moments
  readonly onZoom?: (moments: Moments) => void
  readonly onZoomBack?: () => void
  readonly format?: ValueFormat
  readonly colours?: readonly string[]
  readonly geometry?: 'line' | 'step' | 'bar' | 'points'
  readonly isShaded?: boolean
  readonly isStacked?: boolean
  readonly yRange?: readonly [number | undefined, number | undefined]
  readonly yLabel?: string
  readonly hasLegend?: boolean
  readonly thresholds?: readonly MovableLine[]
  /** Ground between two of the series, by their positions. */
  readonly bands?: readonly {
    readonly upper: number
    readonly lower: number
    readonly colour: string
  }[]
  /** Charts with the same key show their cursors together. */
  readonly syncKey?: string
}

export function Graph(props: GraphProps) {
  const { moments, hasLegend = true } = props
  const isDark = useComputedColorScheme('light') === 'dark'
  const frame = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const [cursor, setCursor] = useState<number | undefined>()
  const [said, setSaid] = useState('')
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const isStacked = props.isStacked === true
  const series = useThin(props.series, moments, isStacked)
  const { plain, data } = useDrawn(series, isStacked)
  const name = useMemo(() => sentence(series, props.format), [series, props.format])

  const { geometry, isShaded, colours, format, thresholds, yRange, yLabel, bands } = props
  const look = JSON.stringify([
    isStacked,
    geometry,
    isShaded,
    colours,
    format,
    thresholds,
    yRange,
    yLabel,
    bands,
  ])
  // biome-ignore lint/correctness/useExhaustiveDependencies: callbacks may change without a new drawing
  useEffect(() => {
    const element = frame.current
    if (element === null) return
    const size = { width: element.clientWidth || 300, height: element.clientHeight || 160 }
    const made = new uPlot(
      optionsOf({ ...props, series }, size, isDark, setCursor),
      data as uPlot.AlignedData,
      element,
    )
    plot.current = made
    // It tells of the size at the beginning too, which is drawn already.
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = element
      const isSame = width === made.width && height === made.height
      if (width > 0 && height > 0 && !isSame) made.setSize({ width, height })
    })
    observer.observe(element)
    return () => {
      observer.disconnect()
      made.destroy()
      plot.current = null
    }
  }, [data, isDark, moments.from, moments.to, look])

  useEffect(() => {
    series.forEach(({ label }, i) => {
      const shown = !hidden.has(label)
      if (plot.current !== null && plot.current.series[i + 1]?.show !== shown) {
        plot.current.setSeries(i + 1, { show: shown })
      }
    })
  }, [hidden, series])

  const moveCursor = (step: number) => {
    const made = plot.current
    if (made === null || data[0].length === 0) return
    const last = data[0].length - 1
    const next = Math.min(last, Math.max(0, (cursor ?? (step > 0 ? -1 : last + 1)) + step))
    const left = made.valToPos(data[0][next], 'x')
    made.setCursor({ left, top: made.bbox.height / (2 * devicePixelRatio) })
    setCursor(next)
    setSaid(saidAt(series, plain, next, props.format))
  }

  return (
    <div className="graph">
      <div
        className="graph-canvas"
        ref={frame}
        role="img"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the cursor is moved with the arrow keys
        tabIndex={0}
        aria-label={name}
        onKeyDown={(event) => {
          if (event.key === 'ArrowRight') moveCursor(event.shiftKey ? 10 : 1)
          else if (event.key === 'ArrowLeft') moveCursor(event.shiftKey ? -10 : -1)
        }}
        onDoubleClick={() => props.onZoomBack?.()}
      />
      <span className="visually-hidden" aria-live="polite">
        {said}
      </span>
      {hasLegend && (
        <GraphLegend
          series={series}
          data={plain}
          cursor={cursor}
          isDark={isDark}
          format={props.format}
          colours={props.colours}
          hidden={hidden}
          onHidden={setHidden}
        />
      )}
    </div>
  )
}

/** The worker has thinned what is long, but for answers to several questions. Of stacked lines every point counts. */
function useThin(series: readonly Series[], { from, to }: Moments, isStacked: boolean) {
  return useMemo(() => {
    const isWhole = series.every(({ whole }) => whole === undefined)
    return !isStacked && isWhole && isLong(series) ? thinned(series, { from, to }) : series
  }, [series, isStacked, from, to])
}

/** `plain`: each series by itself, for the legend. */
function useDrawn(series: readonly Series[], isStacked: boolean) {
  const plain = useMemo(() => align(series), [series])
  const data = useMemo(() => (isStacked ? stacked(plain) : plain), [plain, isStacked])
  return { plain, data }
}

/** Each on top of the ones after it: the first is drawn first, and those below it over it. */
function stacked([times, ...columns]: Aligned): Aligned {
  const sums = new Float64Array(times.length)
  const sum = (column: Aligned[number]) =>
    Array.from(times, (_, i) => {
      sums[i] += column[i] ?? 0
      return sums[i]
    })
  return [times, ...columns.toReversed().map(sum).reverse()]
}

function optionsOf(
  props: GraphProps,
  size: { width: number; height: number },
  isDark: boolean,
  onCursor: (index: number | undefined) => void,
): uPlot.Options {
  const { series, moments, onZoom, format, colours } = props
  const style = getComputedStyle(document.body)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  const axis = {
    stroke: colour('--muted'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line'), width: 1, size: 4 },
    font: `11px ${style.fontFamily}`,
  }
  const [low, high] = props.yRange ?? []
  return {
    ...size,
    plugins: pluginsOf(props),
    legend: { show: false },
    cursor: {
      drag: { x: true, y: false, setScale: false },
      points: { size: 6 },
      ...(props.syncKey === undefined ? {} : { sync: syncOf(props.syncKey) }),
    },
    tzDate: (seconds) => shownDate(seconds * 1000),
    bands: bandsOf(props, isDark),
    scales: {
      x: { time: true, range: () => [moments.from / 1000, moments.to / 1000] },
      y: {
        range: (_plot, min, max) => {
          const [a, b] = uPlot.rangeNum(min ?? 0, max ?? 1, 0.08, true) as [number, number]
          return [low ?? a, high ?? b]
        },
      },
    },
    axes: [
      {
        ...axis,
        space: 70,
        size: 28,
        values: (_plot, moments, _axis, _space, step) =>
          moments.map((seconds) => timeTick(seconds * 1000, step * 1000)),
      },
      {
        ...axis,
        space: 26,
        size: (_plot, values) =>
          16 + 7 * Math.max(2, ...(values ?? []).map((text) => text?.length ?? 0)),
        values: (_plot, values) => values.map((value) => axisText(value, format)),
        ...(format?.base === '2' ? { incrs: powersOfTwo } : {}),
        ...(props.yLabel ? { label: props.yLabel, labelSize: 18, labelFont: axis.font } : {}),
      },
    ],
    series: [
      {},
      ...series.map(({ label }, index) => {
        const { colour: stroke, dash } = strokeOf(index, isDark, colours)
        return {
          label,
          stroke,
          ...(dash === undefined ? {} : { dash }),
          width: series[index].whole === undefined ? lineWidth : thinWidth,
          spanGaps: false,
          ...fillOf(props, index, stroke),
          ...geometryOf(props.geometry, size.width / Math.max(1, series[index].values.length)),
          points: {
            show: props.geometry === 'points' ? true : pointsWhereFew(series[index]),
            size: 5,
          },
        } satisfies uPlot.Series
      }),
    ],
    hooks: {
      setCursor: [(made) => onCursor(made.cursor.idx ?? undefined)],
      setSelect: [
        (made) => {
          const { left, width } = made.select
          if (width < 6 || onZoom === undefined) return
          const from = Math.round(made.posToVal(left, 'x') * 1000)
          const to = Math.round(made.posToVal(left + width, 'x') * 1000)
          made.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
          if (to > from) onZoom({ from, to })
        },
      ],
      draw: [(made) => drawThresholds(made, props.thresholds ?? [])],
    },
  }
}

const lineWidth = 1.5
/** Of a line that goes up and down in every column of pixels: no wider is drawn in a fraction of the time. */
const thinWidth = 1

function pluginsOf({ moments, onZoom, thresholds = [] }: GraphProps): uPlot.Plugin[] {
  const canMove = thresholds.some(({ onMoved }) => onMoved !== undefined)
  return [
    ...(onZoom === undefined ? [] : [panningPlugin(moments, onZoom)]),
    ...(canMove ? [thresholdDragPlugin(() => thresholds)] : []),
  ]
}

/** Steps of an axis that counts in Ki and Mi. */
const powersOfTwo = Array.from({ length: 60 }, (_, i) => 2 ** (i - 10))

/** Of stacked lines the ground is between each and the next; only the lowest reaches to zero. */
function fillOf(props: GraphProps, index: number, stroke: string): Pick<uPlot.Series, 'fill'> {
  const { isStacked, isShaded, geometry, series } = props
  if (isStacked && geometry === 'bar') return { fill: stroke }
  if (isStacked && index < series.length - 1) return {}
  return isShaded || isStacked || geometry === 'bar' ? { fill: `${stroke}33` } : {}
}

function bandsOf(
  { bands = [], isStacked, geometry, series, colours }: GraphProps,
  isDark: boolean,
) {
  if (isStacked && geometry !== 'bar') {
    return series.slice(0, -1).map((_, i): uPlot.Band => {
      return { series: [i + 1, i + 2], fill: `${strokeOf(i, isDark, colours).colour}33` }
    })
  }
  return bands.map(({ upper, lower, colour }): uPlot.Band => {
    return { series: [upper + 1, lower + 1], fill: `${colour}33` }
  })
}

/** Only where the cursor is: a range that is drawn on one chart is not drawn on the others. */
function syncOf(key: string): uPlot.Cursor.Sync {
  return { key, filters: { pub: (type) => type === 'mousemove' || type === 'mouseleave' } }
}

/** A line of one point would not be seen. */
function pointsWhereFew({ values }: Series): boolean {
  return values.length <= 2
}

/** Bars are as wide as most gaps ask for: a last window that is cut short would make all of them thin. */
function geometryOf(geometry: GraphProps['geometry'], pixelsEach: number): Partial<uPlot.Series> {
  if (geometry === 'step') return { paths: uPlot.paths.stepped!({ align: 1 }) }
  if (geometry === 'bar')
    return { paths: uPlot.paths.bars!({ size: [0.7, 40, Math.max(2, pixelsEach * 0.55)] }) }
  return geometry === 'points' ? { paths: () => null } : {}
}

function drawThresholds(made: uPlot, thresholds: NonNullable<GraphProps['thresholds']>): void {
  const { ctx, bbox } = made
  for (const { value, colour } of thresholds) {
    const y = made.valToPos(value, 'y', true)
    if (y < bbox.top || y > bbox.top + bbox.height) continue
    ctx.save()
    ctx.strokeStyle = colour
    ctx.setLineDash([6, 4])
    ctx.beginPath()
    ctx.moveTo(bbox.left, y)
    ctx.lineTo(bbox.left + bbox.width, y)
    ctx.stroke()
    ctx.restore()
  }
}

/** More nobody would listen to. */
const saidMax = 5

/** What stands under the cursor, for somebody who moves it by keys. */
function saidAt(
  series: readonly Series[],
  [seconds, ...columns]: Aligned,
  index: number,
  format: ValueFormat | undefined,
): string {
  const there = series.flatMap(({ label }, i) => {
    const value = columns[i]?.[index]
    return value === undefined || value === null ? [] : [`${label} ${valueText(value, format)}`]
  })
  const more = there.length > saidMax ? [`${there.length - saidMax} more`] : []
  const values = [...there.slice(0, saidMax), ...more].join(', ')
  return `${momentLabel(seconds[index] * 1000)}: ${values === '' ? 'nothing' : values}`
}

/** What somebody who cannot see it is told. */
function sentence(series: readonly Series[], format: ValueFormat | undefined): string {
  if (series.length === 0) return 'A chart without points'
  let [sum, count, high, at] = [0, 0, Number.NEGATIVE_INFINITY, 0]
  for (const facts of series.map(factsOf)) {
    sum += facts.sum
    count += facts.count
    if (facts.highest <= high) continue
    high = facts.highest
    at = facts.highestAt
  }
  const lines = series.length === 1 ? `One series, ${series[0].label}` : `${series.length} series`
  const mean = valueText(sum / count, format)
  return `${lines}: mean ${mean}, highest ${valueText(high, format)} at ${momentLabel(at)}`
}

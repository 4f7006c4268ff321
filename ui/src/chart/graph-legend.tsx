// The legend below a chart: each line with its value under the cursor, or its last. A click shows only that line, a
// click with ctrl hides it. Long legends scroll.

import type { Series } from '../query/series.js'
import type { align } from './aligned.js'
import { momentLabel, type ValueFormat, valueText } from './format.js'
import { strokeOf } from './palette.js'

export interface GraphLegendProps {
  readonly series: readonly Series[]
  readonly data: ReturnType<typeof align>
  readonly cursor: number | undefined
  readonly isDark: boolean
  readonly format: ValueFormat | undefined
  readonly colours: readonly string[] | undefined
  readonly hidden: ReadonlySet<string>
  readonly onHidden: (hidden: ReadonlySet<string>) => void
}

export function GraphLegend(props: GraphLegendProps) {
  const { series, data, cursor, isDark, format, colours, hidden, onHidden } = props
  const toggle = (label: string, isHiding: boolean) => {
    const others = series.map((one) => one.label).filter((one) => one !== label)
    const isAlone = !hidden.has(label) && others.every((one) => hidden.has(one))
    if (isHiding) onHidden(hidden.has(label) ? without(hidden, label) : new Set([...hidden, label]))
    else onHidden(new Set(isAlone ? [] : others))
  }
  const at = cursor === undefined ? undefined : data[0][cursor]
  return (
    <div className="legend">
      <span className="legend-time mono small muted" aria-live="off">
        {at === undefined ? '' : momentLabel(at * 1000)}
      </span>
      <ul>
        {series.map(({ label, values, whole }, index) => {
          const under = cursor === undefined ? undefined : data[index + 1]?.[cursor]
          const value = cursor === undefined ? (whole ?? { last: values.at(-1) }).last : under
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: two series may have the same label
            <li key={`${label} ${index}`}>
              <button
                type="button"
                aria-pressed={!hidden.has(label)}
                title="Click: only this one. Ctrl and click: hide it"
                className={hidden.has(label) ? 'legend-item is-hidden' : 'legend-item'}
                onClick={(event) => toggle(label, event.ctrlKey || event.metaKey)}
              >
                <Swatch {...strokeOf(index, isDark, colours)} />
                <span className="legend-label">{label}</span>
                <span className="mono">
                  {value === undefined || value === null ? '' : valueText(value, format)}
                </span>
              </button>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

function Swatch({ colour, dash }: ReturnType<typeof strokeOf>) {
  return (
    <svg aria-hidden="true" width="16" height="8">
      <line
        x1="0"
        y1="4"
        x2="16"
        y2="4"
        stroke={colour}
        strokeWidth="3"
        strokeDasharray={dash?.join(' ')}
      />
    </svg>
  )
}

function without(set: ReadonlySet<string>, label: string): Set<string> {
  return new Set([...set].filter((one) => one !== label))
}

// Lines of thresholds that are dragged to where they should lie: the pointer takes one where it is close enough, the
// line goes along, and letting go is the new value. The same number stands in a field beside the chart.

import type uPlot from 'uplot'

export interface MovableLine {
  readonly value: number
  readonly colour: string
  /** Absent: it stays where it is. */
  readonly onMoved?: (value: number) => void
}

/** As far from a line as it is still meant. */
const nearPixels = 6

export function thresholdDragPlugin(lines: () => readonly MovableLine[]): uPlot.Plugin {
  const lineAt = (made: uPlot, y: number) =>
    lines().find(({ value, onMoved }) => {
      return onMoved !== undefined && Math.abs(made.valToPos(value, 'y') - y) <= nearPixels
    })
  return {
    hooks: {
      ready: (made) => {
        const { over } = made
        const top = () => over.getBoundingClientRect().top
        over.addEventListener('mousemove', ({ clientY }) => {
          over.style.cursor = lineAt(made, clientY - top()) === undefined ? '' : 'ns-resize'
        })
        over.addEventListener(
          'mousedown',
          (event) => {
            const line = event.button === 0 ? lineAt(made, event.clientY - top()) : undefined
            if (line === undefined || event.shiftKey) return
            // Else the chart would take it for a range that is drawn.
            event.preventDefault()
            event.stopImmediatePropagation()
            drag(made, line, top())
          },
          { capture: true },
        )
      },
    },
  }
}

function drag(made: uPlot, { colour, onMoved }: MovableLine, top: number): void {
  const shown = document.createElement('div')
  shown.className = 'threshold-moving'
  shown.style.borderColor = colour
  made.over.append(shown)
  const within = (clientY: number) => Math.min(made.over.clientHeight, Math.max(0, clientY - top))
  const move = ({ clientY }: MouseEvent) => {
    shown.style.top = `${within(clientY)}px`
  }
  const end = ({ clientY }: MouseEvent) => {
    document.removeEventListener('mousemove', move)
    document.removeEventListener('mouseup', end)
    shown.remove()
    const { min = 0, max = 1 } = made.scales.y ?? {}
    onMoved?.(roundedTo(made.posToVal(within(clientY), 'y'), max - min))
  }
  document.addEventListener('mousemove', move)
  document.addEventListener('mouseup', end)
}

/** With no more digits than a pixel can tell. */
export function roundedTo(value: number, span: number): number {
  const digits = Math.max(0, 2 - Math.floor(Math.log10(span || 1)))
  return Number(value.toFixed(Math.min(digits, 12)))
}

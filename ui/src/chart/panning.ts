// Shift and dragging moves what a chart shows, and where it is let go is the new range. Meanwhile a picture of the
// chart goes along with the pointer: what lies beside the range was not read, so that there is nothing to draw anew,
// and moving a picture costs the same for a million points as for ten.

import type uPlot from 'uplot'
import type { Moments } from '../query/time-range.js'

/** Fewer pixels are a hand that trembled. */
const pixelsMin = 4

export function panningPlugin(
  { from, to }: Moments,
  onMoved: (moved: Moments) => void,
): uPlot.Plugin {
  const begin = (made: uPlot, { clientX: start }: MouseEvent) => {
    const picture = new MovingPicture(made)
    // Nobody follows the cursor meanwhile.
    made.over.style.pointerEvents = 'none'
    const move = ({ clientX }: MouseEvent) => picture.moveTo(clientX - start)
    const end = ({ clientX }: MouseEvent) => {
      document.removeEventListener('mousemove', move)
      document.removeEventListener('mouseup', end)
      picture.remove()
      made.over.style.pointerEvents = ''
      if (Math.abs(clientX - start) < pixelsMin) return
      const by = Math.round(((start - clientX) * (to - from)) / made.over.clientWidth)
      onMoved({ from: from + by, to: to + by })
    }
    document.addEventListener('mousemove', move)
    document.addEventListener('mouseup', end)
  }
  return {
    hooks: {
      ready: (made) => {
        made.over.addEventListener(
          'mousedown',
          (event) => {
            if (!event.shiftKey || event.button !== 0) return
            // Else the chart would take it for a range that is drawn.
            event.preventDefault()
            event.stopImmediatePropagation()
            begin(made, event)
          },
          { capture: true },
        )
      },
    },
  }
}

/** In the place of a chart: its values' axis stands still, everything right of that moves. */
class MovingPicture {
  readonly #chart: HTMLCanvasElement
  readonly #frame = document.createElement('div')
  readonly #moving: HTMLCanvasElement

  constructor({ ctx, bbox }: uPlot) {
    const { canvas } = ctx
    const scale = canvas.width / canvas.clientWidth
    this.#chart = canvas
    this.#frame.className = 'graph-moving'
    this.#moving = this.#part(bbox.left, bbox.width, scale)
    this.#part(0, bbox.left, scale)
    canvas.style.visibility = 'hidden'
    canvas.parentElement?.append(this.#frame)
  }

  moveTo(pixels: number): void {
    this.#moving.style.transform = `translateX(${pixels}px)`
  }

  remove(): void {
    this.#frame.remove()
    this.#chart.style.visibility = ''
  }

  /** A strip of the chart, from top to bottom, within which its picture can move. */
  #part(left: number, width: number, scale: number): HTMLCanvasElement {
    const { height } = this.#chart
    const strip = document.createElement('div')
    const picture = Object.assign(document.createElement('canvas'), { width, height })
    picture.getContext('2d')?.drawImage(this.#chart, left, 0, width, height, 0, 0, width, height)
    for (const { style } of [strip, picture]) style.width = `${width / scale}px`
    strip.style.left = `${left / scale}px`
    strip.append(picture)
    this.#frame.append(strip)
    return picture
  }
}

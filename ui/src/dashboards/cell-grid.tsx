// The cells at their places. While a cell is dragged the others make room for it at once; letting go is one change,
// Escape takes it back. On phones cells lie below each other in reading order.

import { type PointerEvent, useEffect, useMemo, useRef, useState } from 'react'
import type { Cell } from '../api/dashboards.js'
import { type CellActions, CellFrame, type CellMoves } from './cell-frame.js'
import { columnCount, compacted, type Direction, sized, stepped, withPlace } from './layout.js'

export interface CellGridProps {
  readonly cells: readonly Cell[]
  readonly actions: CellActions
  /** Absent: nothing is edited. */
  readonly onMove: ((cells: readonly Cell[]) => void) | undefined
}

const [rowPixels, gapPixels] = [76, 8]

interface Drag {
  readonly id: string
  readonly isSize: boolean
  readonly startX: number
  readonly startY: number
  readonly cells: readonly Cell[]
}

export function CellGrid({ cells, actions, onMove }: CellGridProps) {
  const grid = useRef<HTMLDivElement>(null)
  const [drag, setDrag] = useState<Drag>()
  const [said, setSaid] = useState('')
  const still = useMemo(() => compacted(cells), [cells])
  const [moved, setMoved] = useState<readonly Cell[]>()
  const shown = moved ?? still
  // While editing the elements stay in their order: an element that is moved in the page loses the focus.
  const reading = useMemo(
    () => (onMove === undefined ? shown.toSorted((a, b) => a.y - b.y || a.x - b.x) : shown),
    [shown, onMove],
  )

  useEffect(() => {
    if (drag === undefined) return
    const follow = (event: globalThis.PointerEvent) => {
      const column = (grid.current!.clientWidth + gapPixels) / columnCount
      const dx = Math.round((event.clientX - drag.startX) / column)
      const dy = Math.round((event.clientY - drag.startY) / (rowPixels + gapPixels))
      setMoved(dragged(drag, dx, dy))
    }
    const end = (isKept: boolean) => {
      setDrag(undefined)
      setMoved((last) => {
        if (isKept && last !== undefined) queueMicrotask(() => onMove?.(last))
        return undefined
      })
    }
    const drop = () => end(true)
    const cancel = (event: globalThis.KeyboardEvent) => event.key === 'Escape' && end(false)
    window.addEventListener('pointermove', follow)
    window.addEventListener('pointerup', drop)
    window.addEventListener('keydown', cancel)
    return () => {
      window.removeEventListener('pointermove', follow)
      window.removeEventListener('pointerup', drop)
      window.removeEventListener('keydown', cancel)
    }
  }, [drag, onMove])

  const onDrag = (event: PointerEvent<HTMLElement>, { id }: Cell, isSize: boolean) => {
    if (event.button !== 0) return
    event.preventDefault()
    event.currentTarget.focus?.()
    setDrag({ id, isSize, startX: event.clientX, startY: event.clientY, cells: still })
  }
  const onStep = (cell: Cell, direction: Direction, isSize: boolean) => {
    const next = isSize ? sized(still, cell.id, direction) : stepped(still, cell.id, direction)
    const { x, y, w, h } = next.find(({ id }) => id === cell.id)!
    setSaid(`Column ${x + 1}, row ${y + 1}, ${w} wide, ${h} high`)
    onMove?.(next)
  }
  const moves: CellMoves | undefined = onMove === undefined ? undefined : { onDrag, onStep }
  return (
    <>
      {moves !== undefined && (
        <p id="cell-keys" className="hidden-text">
          Arrow keys move the cell, with shift they change its size. Enter edits it, Delete removes
          it.
        </p>
      )}
      <div className="hidden-text" role="status">
        {said}
      </div>
      <div className={`cell-grid${drag === undefined ? '' : ' is-dragging'}`} ref={grid}>
        {reading.map((cell) => (
          <CellFrame
            key={cell.id}
            cell={cell}
            actions={actions}
            moves={moves}
            isMoving={drag?.id === cell.id}
          />
        ))}
      </div>
    </>
  )
}

function dragged({ id, isSize, cells }: Drag, dx: number, dy: number): readonly Cell[] {
  const { x, y, w, h } = cells.find((cell) => cell.id === id)!
  if (!isSize) return withPlace(cells, id, { x: x + dx, y: Math.max(0, y + dy) })
  const width = Math.min(Math.max(1, w + dx), columnCount - x)
  return withPlace(cells, id, { w: width, h: Math.max(1, h + dy) })
}

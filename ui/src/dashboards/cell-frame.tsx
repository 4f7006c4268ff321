// A cell on the grid: its name, its menu and its inside. While the dashboard is edited its head moves it, by drag
// and by arrow keys, and its corner makes it larger or smaller.

import { ActionIcon, Menu } from '@mantine/core'
import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import type { Cell } from '../api/dashboards.js'
import { newIdPrefix } from '../api/new-cells.js'
import { DropDown } from '../parts/drop-down.js'
import { Icon } from '../parts/icons.js'
import { saveBlob } from '../parts/save-file.js'
import { failed } from '../parts/toasts.js'
import { csvText } from '../query/csv-text.js'
import type { Result } from '../query/result.js'
import { exploreLink, useBoard } from './board.js'
import { CellBody } from './cell-body.js'
import type { Direction } from './layout.js'
import { kindOf, shownName, textOf } from './view-properties.js'

export interface CellActions {
  readonly onFullScreen: (cell: Cell) => void
  readonly onShowQuery: (cell: Cell) => void
  readonly onCopyTo: (cell: Cell) => void
  readonly onEdit: (cell: Cell) => void
  readonly onDuplicate: (cell: Cell) => void
  readonly onArrange: (cell: Cell) => void
  readonly onRemove: (cell: Cell) => void
}

export interface CellMoves {
  readonly onDrag: (event: PointerEvent<HTMLElement>, cell: Cell, isSize: boolean) => void
  readonly onStep: (cell: Cell, direction: Direction, isSize: boolean) => void
}

export interface CellFrameProps {
  readonly cell: Cell
  readonly actions: CellActions
  /** Absent: nothing is edited. */
  readonly moves: CellMoves | undefined
  readonly isMoving: boolean
}

const arrows: Readonly<Record<string, Direction | undefined>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
}

export function CellFrame({ cell, actions, moves, isMoving }: CellFrameProps) {
  const answer = useRef<Result | undefined>(undefined)
  const frame = useRef<HTMLElement>(null)
  const { id, x, y, w, h } = cell
  const name = shownName(cell)
  // A cell that was just made is shown, wherever it came to lie.
  useEffect(() => {
    if (id.startsWith(newIdPrefix)) frame.current?.scrollIntoView({ block: 'nearest' })
  }, [id])
  const place = {
    gridColumn: `${x + 1} / span ${w}`,
    gridRow: `${y + 1} / span ${h}`,
    order: y * 12 + x,
    '--h': h,
  }
  const title = name === '' ? 'Cell without a name' : name
  const isBare = kindOf(cell.properties) === 'markdown' && name === ''
  const onKey = (event: KeyboardEvent) => {
    const direction = arrows[event.key]
    if (moves === undefined || event.target !== event.currentTarget) return
    if (direction !== undefined) {
      event.preventDefault()
      moves.onStep(cell, direction, event.shiftKey)
    } else if (event.key === 'Delete') actions.onRemove(cell)
    else if (event.key === 'Enter') actions.onEdit(cell)
  }
  return (
    <article
      className={`cell${isMoving ? ' is-moving' : ''}${isBare ? ' is-bare' : ''}`}
      aria-label={title}
      style={place}
      ref={frame}
    >
      <div className="cell-head">
        {moves === undefined ? (
          name !== '' && <h2 className="cell-name">{name}</h2>
        ) : (
          <div
            className="cell-handle"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it is moved with the arrow keys
            tabIndex={0}
            role="group"
            aria-roledescription="cell that can be moved"
            aria-describedby="cell-keys"
            aria-label={`Move ${title}`}
            onKeyDown={onKey}
            onPointerDown={(event) => moves.onDrag(event, cell, false)}
          >
            <Icon name="move" size={12} />
            <h2 className="cell-name">{title}</h2>
          </div>
        )}
        <CellMenu
          cell={cell}
          actions={actions}
          isEditing={moves !== undefined}
          answer={() => answer.current}
          canvas={() => frame.current?.querySelector('canvas') ?? undefined}
        />
      </div>
      <CellBody cell={cell} answerRef={answer} />
      {moves !== undefined && (
        <span
          className="cell-corner"
          aria-hidden="true"
          onPointerDown={(event) => moves.onDrag(event, cell, true)}
        />
      )}
    </article>
  )
}

interface CellMenuProps {
  readonly cell: Cell
  readonly actions: CellActions
  readonly isEditing: boolean
  readonly answer: () => Result | undefined
  readonly canvas: () => HTMLCanvasElement | undefined
}

function CellMenu(props: CellMenuProps) {
  const { name } = props.cell
  return (
    <DropDown
      position="bottom-end"
      width={180}
      button={
        <ActionIcon
          className="cell-menu"
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={`Menu of ${name === '' ? 'the cell' : name}`}
        >
          <Icon name="more" size={14} />
        </ActionIcon>
      }
    >
      <CellEntries {...props} />
    </DropDown>
  )
}

function CellEntries({ cell, actions, isEditing, answer, canvas }: CellMenuProps) {
  const board = useBoard()
  const [, go] = useLocation()
  const link = exploreLink(cell, board)
  const file = cell.name.replace(/[^\w-]+/g, '-') || 'cell'
  const csv = () => {
    const result = answer()
    if (result === undefined) failed('There is no answer yet.')
    else saveBlob(new Blob([csvText(result)], { type: 'text/csv' }), `${file}.csv`)
  }
  const isNote = kindOf(cell.properties) === 'markdown'
  const hasNote = !isNote && textOf(cell.properties.note) !== ''
  return (
    <>
      {isEditing && (
        <>
          <Menu.Item onClick={() => actions.onEdit(cell)}>Edit</Menu.Item>
          <Menu.Item onClick={() => actions.onDuplicate(cell)}>Duplicate</Menu.Item>
          <Menu.Item onClick={() => actions.onArrange(cell)}>Place and size…</Menu.Item>
          <Menu.Item color="red" onClick={() => actions.onRemove(cell)}>
            Remove
          </Menu.Item>
          <Menu.Divider />
        </>
      )}
      {link !== undefined && <Menu.Item onClick={() => go(link)}>Explore</Menu.Item>}
      <Menu.Item onClick={() => actions.onCopyTo(cell)}>Copy to…</Menu.Item>
      {!isNote && <Menu.Item onClick={csv}>CSV</Menu.Item>}
      {canvas() !== undefined && (
        <Menu.Item onClick={() => savePicture(canvas(), `${file}.png`)}>PNG</Menu.Item>
      )}
      <Menu.Item onClick={() => actions.onFullScreen(cell)}>Full screen</Menu.Item>
      {!isNote && (
        <Menu.Item onClick={() => actions.onShowQuery(cell)}>
          {hasNote ? 'Note and query' : 'Show query'}
        </Menu.Item>
      )}
    </>
  )
}

/** On the page's colour: a chart is drawn on nothing. */
function savePicture(canvas: HTMLCanvasElement | undefined, name: string): void {
  if (canvas === undefined) return
  const copy = document.createElement('canvas')
  copy.width = canvas.width
  copy.height = canvas.height
  const context = copy.getContext('2d')!
  context.fillStyle = getComputedStyle(document.body).backgroundColor
  context.fillRect(0, 0, copy.width, copy.height)
  context.drawImage(canvas, 0, 0)
  copy.toBlob((blob) => blob !== null && saveBlob(blob, name))
}

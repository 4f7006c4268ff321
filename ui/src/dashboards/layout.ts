// Where cells lie: twelve columns, rows without end, nothing over nothing, and no gap above that a cell could fall up
// into. Moving a cell pushes those in its way down.

export interface Place {
  readonly id: string
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
}

export const columnCount = 12
const rowsMax = 1000

/** As the grid can show it: within the columns, at least one by one. */
function bounded<T extends Place>(cell: T): T {
  const w = Math.min(Math.max(Math.trunc(cell.w) || 4, 1), columnCount)
  const h = Math.min(Math.max(Math.trunc(cell.h) || 2, 1), 100)
  const x = Math.min(Math.max(Math.trunc(cell.x), 0), columnCount - w)
  const y = Math.min(Math.max(Math.trunc(cell.y), 0), rowsMax)
  return { ...cell, x, y, w, h }
}

function meets(a: Place, b: Place): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
}

/** In the order given, each as high as it can lie below those before it. */
function dropped<T extends Place>(ordered: readonly T[]): Map<string, T> {
  const done: T[] = []
  for (const cell of ordered) {
    const own = done.filter((other) => cell.x < other.x + other.w && other.x < cell.x + cell.w)
    let y = cell.y
    while (y > 0 && !own.some((other) => meets({ ...cell, y: y - 1 }, other))) y--
    while (own.some((other) => meets({ ...cell, y }, other))) y++
    done.push({ ...cell, y })
  }
  return new Map(done.map((cell) => [cell.id, cell]))
}

/** The cells in their own order, at their places. */
function inOrder<T extends Place>(cells: readonly T[], places: ReadonlyMap<string, T>): T[] {
  return cells.map((cell) => places.get(cell.id)!)
}

export function compacted<T extends Place>(cells: readonly T[]): T[] {
  const all = cells.map(bounded)
  return inOrder(all, dropped(all.toSorted((a, b) => a.y - b.y || a.x - b.x)))
}

/** With one cell at another place or of another size. */
export function withPlace<T extends Place>(
  cells: readonly T[],
  id: string,
  change: Partial<Omit<Place, 'id'>>,
): T[] {
  const all = compacted(cells)
  const before = all.find((cell) => cell.id === id)
  if (before === undefined) return all
  const moved = bounded({ ...before, ...change })
  const isDown = moved.y > before.y
  // Downwards a cell passes another when its lower edge passes that one's middle.
  const order = (cell: T) => {
    if (cell.id === id) return isDown ? moved.y + moved.h : moved.y - 0.5
    return isDown ? cell.y + cell.h / 2 : cell.y
  }
  const changed = all.map((cell) => (cell.id === id ? moved : cell))
  const sorted = changed.toSorted((a, b) => order(a) - order(b) || a.x - b.x)
  return inOrder(all, dropped(sorted))
}

export type Direction = 'left' | 'right' | 'up' | 'down'

/** One step by a key: up and down go on until something changes. */
export function stepped<T extends Place>(
  cells: readonly T[],
  id: string,
  direction: Direction,
): T[] {
  const all = compacted(cells)
  const cell = all.find((one) => one.id === id)
  if (cell === undefined) return all
  if (direction === 'left') return withPlace(all, id, { x: cell.x - 1 })
  if (direction === 'right') return withPlace(all, id, { x: cell.x + 1 })
  const step = direction === 'up' ? -1 : 1
  const end = Math.max(...all.map(({ y, h }) => y + h))
  for (let y = cell.y + step; y >= 0 && y <= end; y += step) {
    const tried = withPlace(all, id, { y })
    if (tried.some((one, i) => one.y !== all[i].y)) return tried
  }
  return all
}

export function sized<T extends Place>(cells: readonly T[], id: string, direction: Direction): T[] {
  const cell = cells.find((one) => one.id === id)
  if (cell === undefined) return [...cells]
  const isWidth = direction === 'left' || direction === 'right'
  const step = direction === 'left' || direction === 'up' ? -1 : 1
  const change = isWidth ? { w: cell.w + step } : { h: cell.h + step }
  if (Object.values(change)[0] < 1) return [...cells]
  if (direction === 'right' && cell.x + cell.w >= columnCount) return [...cells]
  return withPlace(cells, id, change)
}

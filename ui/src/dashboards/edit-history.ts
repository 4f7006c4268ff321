// What is being edited, with every state before: undo and redo go between them. A save makes the state the beginning
// again. Plain values; the page keeps one in its state.

export interface EditHistory<T> {
  readonly past: readonly T[]
  readonly present: T
  readonly future: readonly T[]
}

const statesMax = 200

export function startOf<T>(present: T): EditHistory<T> {
  return { past: [], present, future: [] }
}

export function changed<T>({ past, present }: EditHistory<T>, next: T): EditHistory<T> {
  return { past: [...past, present].slice(-statesMax), present: next, future: [] }
}

export function undone<T>(history: EditHistory<T>): EditHistory<T> {
  const { past, present, future } = history
  if (past.length === 0) return history
  return { past: past.slice(0, -1), present: past[past.length - 1], future: [present, ...future] }
}

export function redone<T>(history: EditHistory<T>): EditHistory<T> {
  const { past, present, future } = history
  if (future.length === 0) return history
  return { past: [...past, present], present: future[0], future: future.slice(1) }
}

// How a run shares the thread with others: whoever starts a run hangs its turns on the signal that goes down with it,
// and code below that computes for long asks for its next turn there. What was started without turns gives way to
// whatever else is due. Work that other threads or processes do has to be let in first.

import { setImmediate } from 'node:timers/promises'

export interface RunTurns {
  /** Resolves when the run may go on. */
  next(): Promise<void>
  /** Resolves when the run may go on with what others have brought it; undefined: it may at once. */
  resumed(): Promise<void> | undefined
  /** Resolves when the run may use other threads; undefined: it may already. */
  enterHeavy(): Promise<void> | undefined
  /** Throws where the run goes on elsewhere before so much is read here, in values. Absent: it goes on here. */
  foresee?(values: () => number): void
  /** What it does from now on can only be done here. */
  staysHere?(): void
}

const turnsOf = Symbol('turns')

type TurnSignal = AbortSignal & { [turnsOf]?: RunTurns | undefined }

export function setTurns(signal: AbortSignal, turns: RunTurns | undefined): void {
  ;(signal as TurnSignal)[turnsOf] = turns
}

/** Lets others run, and stops what was stopped meanwhile. */
export async function nextTurn(signal: AbortSignal): Promise<void> {
  const turns = (signal as TurnSignal)[turnsOf]
  await (turns === undefined ? setImmediate() : turns.next())
  signal.throwIfAborted()
}

/**
 * To be waited for where a run goes on since another thread has brought it something, which is in nobody's turn;
 * undefined: nothing is to be waited for.
 */
export function resumed(signal: AbortSignal): Promise<void> | undefined {
  return (signal as TurnSignal)[turnsOf]?.resumed()
}

/** To be waited for before work is handed to other threads or processes; undefined: nothing is to be waited for. */
export function enterHeavy(signal: AbortSignal): Promise<void> | undefined {
  return (signal as TurnSignal)[turnsOf]?.enterHeavy()
}

/** Tells what is about to be read, in values, where somebody wants to know. Throws where it is read elsewhere. */
export function foresee(signal: AbortSignal, values: () => number): void {
  ;(signal as TurnSignal)[turnsOf]?.foresee?.(values)
}

/** To be called before work that only this thread can do: the run does not go on elsewhere any more. */
export function staysHere(signal: AbortSignal): void {
  ;(signal as TurnSignal)[turnsOf]?.staysHere?.()
}

/** Aborts with either; has the turns of the first. */
export function joinedSignal(signal: AbortSignal, other: AbortSignal): AbortSignal {
  const joined = AbortSignal.any([signal, other])
  setTurns(joined, (signal as TurnSignal)[turnsOf])
  return joined
}

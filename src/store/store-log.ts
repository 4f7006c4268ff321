// How the engine says what happened behind its callers' backs: damage found, flushes that failed.
// Whoever opens it decides where the words go.

export type StoreLog = (
  level: 'error' | 'warn' | 'info' | 'debug',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void

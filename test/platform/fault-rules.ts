// Failures on order, for a simulated disk: a rule names the operations that shall fail, how many go through first and
// how many fail then. Rules are asked before an operation has any effect.

export type DiskOperation =
  | 'open'
  | 'read'
  | 'write'
  | 'sync'
  | 'truncate'
  | 'close'
  | 'exists'
  | 'list'
  | 'makeDir'
  | 'rename'
  | 'remove'
  | 'removeDir'
  | 'syncDir'

export interface FaultRule {
  readonly operation: DiskOperation
  /** Only on paths that match; for a rename either path may. */
  readonly path?: RegExp
  /** How many matching operations go through first; 0 unless told. */
  readonly after?: number
  /** How many fail then; all, until the rule is removed, unless told. */
  readonly times?: number
  readonly error: 'ENOSPC' | 'EIO' | 'EROFS' | 'EACCES' | 'EMFILE'
  /** For writes: how many bytes of it are written before it fails; 0 unless told. */
  readonly writtenBytes?: number
}

export class FaultRules {
  readonly #active = new Set<{ readonly rule: FaultRule; seen: number }>()

  /** Returns the function that takes the rule back. */
  add(rule: FaultRule): () => void {
    const entry = { rule, seen: 0 }
    this.#active.add(entry)
    return () => {
      this.#active.delete(entry)
    }
  }

  /** The rule by which this operation fails, if any. */
  match(operation: DiskOperation, paths: readonly string[]): FaultRule | undefined {
    if (this.#active.size === 0) return undefined
    let failing: FaultRule | undefined
    for (const entry of this.#active) {
      const { rule } = entry
      if (rule.operation !== operation) continue
      // `search` always starts at the beginning, also for an expression with the `g` flag.
      const pattern = rule.path
      if (pattern !== undefined && !paths.some((path) => path.search(pattern) >= 0)) continue
      const seen = entry.seen++
      const after = rule.after ?? 0
      if (seen >= after && seen < after + (rule.times ?? Infinity)) failing ??= rule
    }
    return failing
  }
}

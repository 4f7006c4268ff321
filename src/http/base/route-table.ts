// Which methods a path answers to, so that a wrong method (405) can be told from an unknown path
// (404). Asked only for requests that found no route.

export class RouteTable {
  readonly #methods = new Map<string, Set<string>>()

  add(url: string, method: string | string[]): void {
    const known = this.#methods.get(url) ?? new Set<string>()
    for (const name of [method].flat()) known.add(name)
    this.#methods.set(url, known)
  }

  /** Sorted; empty where no route has this path. */
  methodsOf(url: string): string[] {
    const path = url.split('?', 1)[0].split('/')
    if (path.length > 2 && path.at(-1) === '') path.pop()
    const found = new Set<string>()
    for (const [pattern, methods] of this.#methods) {
      if (!matches(pattern.split('/'), path)) continue
      for (const method of methods) found.add(method)
    }
    return [...found].sort()
  }
}

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  if (pattern.length !== path.length) return false
  return pattern.every((part, i) => (part.startsWith(':') ? path[i] !== '' : part === path[i]))
}

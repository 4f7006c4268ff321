// Names while a script is compiled: which place in which frame each stands for. Blocks share the frame
// of their function. A name is declared when its statement has been compiled, so that `x = x` and names
// that come later mean what stood outside.

/** The places of one frame. */
export class FrameSize {
  size = 0
  /** Whether a function is made in it that may outlive the call. */
  hasFunctions = false
}

export interface Place {
  /** Frames to go outwards. */
  readonly hops: number
  readonly index: number
}

export class NameScope {
  readonly frame: FrameSize
  readonly #outer: NameScope | undefined
  readonly #places = new Map<string, number>()

  constructor(frame: FrameSize, outer: NameScope | undefined) {
    this.frame = frame
    this.#outer = outer
  }

  /** The same name twice, as an extern file and a script may have it: the later one counts from here on. */
  declare(name: string): number {
    const index = this.frame.size++
    this.#places.set(name, index)
    return index
  }

  block(): NameScope {
    return new NameScope(this.frame, this)
  }

  function(): NameScope {
    return new NameScope(new FrameSize(), this)
  }

  find(name: string): Place | undefined {
    let hops = 0
    for (let scope: NameScope | undefined = this; scope !== undefined; scope = scope.#outer) {
      const index = scope.#places.get(name)
      if (index !== undefined) return { hops, index }
      if (scope.#outer !== undefined && scope.#outer.frame !== scope.frame) hops++
    }
    return undefined
  }

  names(): IterableIterator<string> {
    return this.#places.keys()
  }
}

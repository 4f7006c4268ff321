// A queue that is served in turn: first between organizations, then between the tokens of one, and only then in the
// order in which things came. Who has a thousand things waiting delays others by one.

export interface Caller {
  readonly org: string
  /** Or whatever else tells those apart who ask within an organization. */
  readonly token: string
}

/** Of what there are only so many of, for one organization: whoever else comes finds some. */
export const organizationShare = 3 / 4

type Lists<T> = Map<string, T[]>

export class FairQueue<T> {
  /** Whoever comes first in a map is next. */
  readonly #orgs = new Map<string, Lists<T>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add({ org, token }: Caller, item: T): void {
    const tokens = getOrMake(this.#orgs, org, () => new Map<string, T[]>())
    getOrMake(tokens, token, () => []).push(item)
    this.#size++
  }

  /** The next one, of those that `mayTake` allows. */
  take(mayTake: (caller: Caller) => boolean = always): T | undefined {
    for (const [org, tokens] of this.#orgs) {
      for (const [token, list] of tokens) {
        if (!mayTake({ org, token })) continue
        const item = list.shift() as T
        this.#size--
        toTheEnd(tokens, token, list.length)
        toTheEnd(this.#orgs, org, tokens.size)
        return item
      }
    }
    return undefined
  }

  remove({ org, token }: Caller, item: T): void {
    const tokens = this.#orgs.get(org)
    const list = tokens?.get(token)
    const at = list?.indexOf(item) ?? -1
    if (tokens === undefined || list === undefined || at < 0) return
    list.splice(at, 1)
    this.#size--
    if (list.length === 0) tokens.delete(token)
    if (tokens.size === 0) this.#orgs.delete(org)
  }
}

function always(): boolean {
  return true
}

/** Gone where nothing is left of it. */
function toTheEnd<V>(map: Map<string, V>, key: string, left: number): void {
  const value = map.get(key) as V
  map.delete(key)
  if (left > 0) map.set(key, value)
}

function getOrMake<V>(map: Map<string, V>, key: string, make: () => V): V {
  let value = map.get(key)
  if (value === undefined) {
    value = make()
    map.set(key, value)
  }
  return value
}

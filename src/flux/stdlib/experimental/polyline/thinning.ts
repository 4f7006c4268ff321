// Fewer points for a line that looks the same (Ramer, Douglas and Peucker): the ends stay, and so does the
// point furthest from the straight line between them, as long as it is far enough; then the same on both
// sides of it. How far is enough is given (`epsilon`), follows from how many points shall stay
// (`retention`), or from how exactly the straight line could have been drawn (Prasad).

/** Times as floats, in nanoseconds, and values: the plane that distances are measured in. */
export interface Points {
  readonly xs: Float64Array
  readonly ys: Float64Array
}

/** From one point to another, both among those that stay. */
interface Span {
  readonly first: number
  readonly last: number
}

interface Furthest {
  readonly at: number
  readonly distance: number
}

/** Yields after so many distances, so that others get their turn. */
const distancesPerTurn = 1_000_000

class Thinning {
  readonly #points: Points
  readonly #count: number
  #measured = 0

  constructor(points: Points) {
    this.#points = points
    this.#count = points.xs.length
  }

  /** Calls `split` with the furthest point of each span; where it says so, both halves are looked at as well. */
  *each(split: (span: Span, furthest: Furthest) => boolean): Generator<void, void, void> {
    const spans: Span[] = [{ first: 0, last: this.#count - 1 }]
    for (let span = spans.pop(); span !== undefined; span = spans.pop()) {
      const { first, last } = span
      if (last - first < 2) continue
      const furthest = this.#furthest(span)
      if (furthest.at > first && split(span, furthest)) {
        spans.push({ first, last: furthest.at }, { first: furthest.at, last })
      }
      this.#measured += last - first
      if (this.#measured < distancesPerTurn) continue
      this.#measured = 0
      yield
    }
  }

  #furthest({ first, last }: Span): Furthest {
    const { xs, ys } = this.#points
    const a = ys[first] - ys[last]
    const b = xs[last] - xs[first]
    const c = xs[first] * ys[last] - xs[last] * ys[first]
    const length = Math.sqrt(a * a + b * b)
    let [at, distance] = [first, 0]
    for (let i = first + 1; i < last; i++) {
      const away = Math.abs(a * xs[i] + b * ys[i] + c) / length
      if (away <= distance || Number.isNaN(away)) continue
      at = i
      distance = away
    }
    return { at, distance }
  }
}

/** Which points stay, in order. */
export function* thinnedBy(
  points: Points,
  isFar: (span: Span, furthest: Furthest) => boolean,
): Generator<void, Uint32Array, void> {
  const count = points.xs.length
  const stays = new Uint8Array(count)
  if (count > 0) stays[0] = stays[count - 1] = 1
  yield* new Thinning(points).each((span, furthest) => {
    if (!isFar(span, furthest)) return false
    stays[furthest.at] = 1
    return true
  })
  return placesOf(stays)
}

/** The `keptCount` points that are furthest from the lines they were split off, and those just as far. */
export function* thinnedTo(points: Points, keptCount: number): Generator<void, Uint32Array, void> {
  const count = points.xs.length
  const weights = new Float64Array(count)
  weights[0] = weights[count - 1] = Number.POSITIVE_INFINITY
  yield* new Thinning(points).each((_span, { at, distance }) => {
    weights[at] = distance
    return true
  })
  const enough = weights.slice().sort()[count - keptCount]
  return placesOf(Uint8Array.from(weights, (weight) => (weight >= enough ? 1 : 0)))
}

function placesOf(marks: Uint8Array): Uint32Array {
  const places: number[] = []
  for (let i = 0; i < marks.length; i++) if (marks[i] !== 0) places.push(i)
  return Uint32Array.from(places)
}

/** How far points of a straight line may lie off it after being put on a grid. */
export function digitizationError({ xs, ys }: Points, { first, last }: Span): number {
  const width = xs[last] - xs[first]
  const height = ys[last] - ys[first]
  const length = Math.sqrt(width ** 2 + height ** 2)
  const angle = Math.atan(width === 0 ? 0 : height / width)
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)]
  const most = (1 / length) * (Math.abs(sine) + Math.abs(cosine))
  const series = 1 - most + most ** 2
  const turn = Math.max(
    Math.atan((1 / length) * Math.abs(sine + cosine) * series),
    Math.atan((1 / length) * Math.abs(sine - cosine) * series),
  )
  return length * turn
}

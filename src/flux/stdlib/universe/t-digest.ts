// A t-digest: quantiles of a stream of numbers from a bounded number of centroids (means with weights),
// fine near the ends and coarse in the middle. Values are gathered, sorted in with the centroids there
// are, and neighbours are put together as long as they stay within one step of the scale
//
//   k(q) = compression × (asin(2q − 1) + π/2) / π
//
// Sizes, order and interpolation are those of the digest that Flux uses (Dunning's merging digest), so
// that estimates agree with its: with fewer values than the compression allows for, they are exact up to
// the interpolation between neighbours.

export class TDigest {
  readonly #compression: number
  readonly #gatheredMax: number
  /** Sorted by mean; beside each its weight. */
  #means = new Float64Array(0)
  #weights = new Float64Array(0)
  #count = 0
  #weight = 0
  #gathered = new Float64Array(16)
  #gatheredCount = 0
  #min = Number.MAX_VALUE
  #max = -Number.MAX_VALUE

  constructor(compression: number) {
    this.#compression = compression
    this.#gatheredMax = 8 * Math.ceil(compression)
  }

  /** About what it takes. */
  get bytes(): number {
    return 8 * this.#gathered.length + 16 * this.#count
  }

  /** Anything but a number is passed over. */
  add(value: number): void {
    if (Number.isNaN(value)) return
    if (this.#gatheredCount === this.#gathered.length) this.#grow()
    this.#gathered[this.#gatheredCount++] = value
    if (this.#gatheredCount > this.#gatheredMax) this.#merge()
  }

  /** NaN: there are no values. */
  quantile(q: number): number {
    this.#merge()
    const means = this.#means
    const weights = this.#weights
    const count = this.#count
    if (count === 0) return Number.NaN
    if (count === 1) return means[0]
    const index = q * this.#weight
    if (index <= weights[0] / 2) {
      return this.#min + ((2 * index) / weights[0]) * (means[0] - this.#min)
    }
    let before = 0
    let place = weights[0] / 2
    for (let i = 1; i < count; i++) {
      before += weights[i - 1]
      const next = before + weights[i] / 2
      if (next >= index) return weighted(means[i - 1], next - index, means[i], index - place)
      place = next
    }
    const half = weights[count - 1] / 2
    const fromEnd = index - this.#weight - half
    return weighted(means[count - 1], fromEnd, this.#max, half - fromEnd)
  }

  #grow(): void {
    const grown = new Float64Array(2 * this.#gathered.length)
    grown.set(this.#gathered)
    this.#gathered = grown
  }

  #merge(): void {
    if (this.#gatheredCount === 0) return
    const values = this.#gathered.subarray(0, this.#gatheredCount).sort()
    const size = this.#count + values.length
    const means = new Float64Array(size)
    const weights = new Float64Array(size)
    this.#weight += values.length
    this.#gatheredCount = 0
    this.#interleave(values, means, weights)
    this.#count = this.#join(means, weights)
    this.#means = means.slice(0, this.#count)
    this.#weights = weights.slice(0, this.#count)
    this.#min = Math.min(this.#min, means[0])
    this.#max = Math.max(this.#max, means[this.#count - 1])
  }

  /** New values, of weight 1 each, and the centroids so far, by size. */
  #interleave(values: Float64Array, means: Float64Array, weights: Float64Array): void {
    let value = 0
    let centroid = 0
    for (let i = 0; i < means.length; i++) {
      const isValue =
        centroid === this.#count ||
        (value < values.length && values[value] <= this.#means[centroid])
      means[i] = isValue ? values[value++] : this.#means[centroid]
      weights[i] = isValue ? 1 : this.#weights[centroid++]
    }
  }

  /** Puts neighbours together in place; returns how many are left. */
  #join(means: Float64Array, weights: Float64Array): number {
    const total = this.#weight
    let count = 1
    let soFar = weights[0]
    let limit = total * this.#share(1)
    for (let i = 1; i < means.length; i++) {
      const projected = soFar + weights[i]
      if (projected <= limit) {
        const last = count - 1
        weights[last] += weights[i]
        means[last] += (weights[i] * (means[i] - means[last])) / weights[last]
      } else {
        limit = total * this.#share(this.#step(soFar / total) + 1)
        means[count] = means[i]
        weights[count] = weights[i]
        count++
      }
      soFar = projected
    }
    return count
  }

  /** Which share of all values lies before step k of the scale. */
  #share(k: number): number {
    const angle = (Math.min(k, this.#compression) * Math.PI) / this.#compression
    return (Math.sin(angle - Math.PI / 2) + 1) / 2
  }

  #step(share: number): number {
    return (this.#compression * (Math.asin(2 * share - 1) + Math.PI / 2)) / Math.PI
  }
}

/** Between the two, however the weights are. */
function weighted(x1: number, weight1: number, x2: number, weight2: number): number {
  const average = (x1 * weight1 + x2 * weight2) / (weight1 + weight2)
  return Math.max(Math.min(x1, x2), Math.min(average, Math.max(x1, x2)))
}

// Requests counted by route, method and status, and how long they took. Counted in plain numbers and made
// into labelled figures only when somebody asks: the library's counters sort and join their labels on every
// request.

import type { Registry } from 'prom-client'

/** Seconds. A write takes a millisecond or a few, a query up to minutes. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30]

interface AnswerCount {
  readonly method: string
  readonly status: number
  count: number
}

interface RouteFigures {
  readonly answers: AnswerCount[]
  /** By bucket, each without those below it; the last is for what takes longer than all. */
  readonly durations: Float64Array
  secondsTotal: number
}

interface Figure {
  readonly metricName?: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
}

export class RequestFigures {
  readonly #routes = new Map<string, RouteFigures>()

  count(method: string, route: string, status: number, seconds: number): void {
    const figures = this.#routes.get(route) ?? this.#add(route)
    answerCount(figures.answers, method, status).count++
    let bucket = 0
    while (bucket < durationBuckets.length && seconds > durationBuckets[bucket]) bucket++
    figures.durations[bucket]++
    figures.secondsTotal += seconds
  }

  #add(route: string): RouteFigures {
    const durations = new Float64Array(durationBuckets.length + 1)
    const figures = { answers: [], durations, secondsTotal: 0 }
    this.#routes.set(route, figures)
    return figures
  }

  /** Adds a counter and a histogram of these names to what the registry tells. */
  register(registry: Registry, counterName: string, histogramName: string): void {
    const add = (name: string, type: string, help: string, values: () => Figure[]) => {
      const metric = { name, get: async () => ({ name, type, help, values: values() }) }
      // The registry asks nothing of a metric but its name and its figures.
      registry.registerMetric(metric as unknown as Parameters<Registry['registerMetric']>[0])
    }
    const answered = 'Requests answered, by route and status.'
    add(counterName, 'counter', answered, () => this.#answers())
    const took = 'Time from the first byte of a request to the end of its answer.'
    add(histogramName, 'histogram', took, () => this.#durations(histogramName))
  }

  #answers(): Figure[] {
    const figures: Figure[] = []
    for (const [route, { answers }] of this.#routes) {
      for (const { method, status, count } of answers) {
        figures.push({ labels: { method, route, status: String(status) }, value: count })
      }
    }
    return figures
  }

  #durations(name: string): Figure[] {
    const figures: Figure[] = []
    for (const [route, { durations, secondsTotal }] of this.#routes) {
      let total = 0
      for (let bucket = 0; bucket < durations.length; bucket++) {
        total += durations[bucket]
        const labels = { le: durationBuckets[bucket] ?? '+Inf', route }
        figures.push({ metricName: `${name}_bucket`, labels, value: total })
      }
      figures.push({ metricName: `${name}_sum`, labels: { route }, value: secondsTotal })
      figures.push({ metricName: `${name}_count`, labels: { route }, value: total })
    }
    return figures
  }
}

/** A route answers in so few ways that looking through them is quickest. */
function answerCount(answers: AnswerCount[], method: string, status: number): AnswerCount {
  for (const answer of answers) {
    if (answer.status === status && answer.method === method) return answer
  }
  const added = { method, status, count: 0 }
  answers.push(added)
  return added
}

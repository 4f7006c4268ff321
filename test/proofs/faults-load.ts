// The load of the proof of faults: writers with a number each that only rises, at the one process and the other, and
// whoever reads must find the last one that was acknowledged.

import type { Node, World } from './faults-world.js'
import { type Answer, type Ask, ask, pause } from './service-process.js'

export const writerCount = 4
const seriesEach = 4

/** Writes are refused after a minute at most, and queries have a timeout: who waits longer is forgotten. */
const answerMsMax = 150_000
const laterMs = 5000

/** Undefined: the process was gone. */
export async function quietly(
  url: string,
  options: Ask = {},
): Promise<Answer | 'silence' | undefined> {
  const begun = performance.now()
  try {
    return await ask(url, { ...options, abortAfterMs: answerMsMax })
  } catch {
    return performance.now() - begun >= answerMsMax ? 'silence' : undefined
  }
}

export class Load {
  readonly #world: World
  readonly #wrong: string[]
  readonly #last: number[] = new Array(writerCount).fill(0)
  #isStopped = false
  acknowledged = 0
  refused = 0
  checks = 0
  slowestWriteMs = 0
  /** Of those that were answered, be it with an error. */
  slowestQueryMs = 0

  constructor(world: World, wrong: string[]) {
    this.#world = world
    this.#wrong = wrong
  }

  stop(): void {
    this.#isStopped = true
  }

  async write(writer: number): Promise<void> {
    const { nodes } = this.#world
    while (!this.#isStopped && this.#wrong.length === 0) {
      const number = this.#last[writer] + 1
      const begun = performance.now()
      const isDone = await this.#untilTaken(writer, number)
      if (!isDone) return
      this.#last[writer] = number
      this.acknowledged++
      this.slowestWriteMs = Math.max(this.slowestWriteMs, Math.round(performance.now() - begun))
      await this.#check(writer, number, nodes[number % 2], 'at once')
      await pause(20)
    }
  }

  /** The same points again and again, at the one process and the other, until they are acknowledged. */
  async #untilTaken(writer: number, number: number): Promise<boolean> {
    const { nodes, token } = this.#world
    const body = Array.from({ length: seriesEach }, (_, s) => {
      const tags = `w=${writer},s=${s}`
      return `each,${tags} v=${number}i ${number}\nnewest,${tags} v=${number}i 1`
    }).join('\n')
    for (let tries = writer; ; tries++) {
      if (this.#wrong.length > 0) return false
      const { url } = nodes[tries % 2]
      const path = `${url}/api/v2/write?org=o&bucket=b`
      const answer = await quietly(path, { method: 'POST', token, body })
      if (answer === 'silence') {
        this.#wrong.push('a write was never answered')
        return false
      }
      if (answer?.status === 204) return true
      if (answer !== undefined && answer.status < 500 && answer.status !== 429) {
        this.#wrong.push(`a write was answered with ${answer.status} ${answer.text}`)
      }
      this.refused++
      await pause(100)
    }
  }

  async checkAll(when: string): Promise<void> {
    for (let writer = 0; writer < writerCount; writer++) {
      for (const node of this.#world.nodes) {
        for (let tries = 0; ; tries++) {
          if (await this.#check(writer, this.#last[writer], node, when)) break
          if (tries > 240) this.#wrong.push(`${when}: no answer for a minute`)
          if (tries > 240) break
          await pause(250)
        }
      }
    }
  }

  /** False: it was refused, which says nothing. */
  async #check(writer: number, number: number, { url }: Node, when: string): Promise<boolean> {
    const found = await this.#read(writer, url)
    if (found === 'silence') this.#wrong.push(`${when}: a query was never answered`)
    if (found === 'silence' || found === undefined) return false
    this.checks++
    const wanted = (text: string) => new Array(seriesEach).fill(text).join()
    if (found !== `${wanted(`${number}/${number}`)} and ${wanted(`${number}`)}`) {
      this.#wrong.push(`${when}: writer ${writer} has ${number}, read were ${found}`)
      // Whether a read missed something, or the store has lost it.
      await pause(laterMs)
      this.#wrong.push(`${laterMs} ms later read were ${await this.#read(writer, url)}`)
    }
    return true
  }

  /** The count and the last number of each series, and the point of each that is written over again and again. */
  async #read(writer: number, url: string): Promise<string | undefined> {
    const { token } = this.#world
    const q = [
      `SELECT count(v), max(v) FROM each WHERE w = '${writer}' GROUP BY s`,
      `SELECT v FROM newest WHERE w = '${writer}' GROUP BY s`,
    ].join('; ')
    const path = `${url}/query?${new URLSearchParams({ db: 'b', q })}`
    const begun = performance.now()
    const answer = await quietly(path, { token })
    this.slowestQueryMs = Math.max(this.slowestQueryMs, Math.round(performance.now() - begun))
    if (answer === 'silence') return answer
    if (answer?.status !== 200 || answer.text.includes('"error"')) return undefined
    const results: { series?: { values: number[][] }[] }[] = JSON.parse(answer.text).results
    return results
      .map(({ series = [] }) => series.map(({ values: [[, ...rest]] }) => rest.join('/')).join())
      .join(' and ')
  }
}

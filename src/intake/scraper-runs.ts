// Scrapers at work: each target is asked every so many seconds, a few at a time, and its samples are written to the
// scraper's bucket. A target that does not answer is tried again at its next time; what is wrong is logged once.

import type { Scraper } from '../catalog/neighbours/scrapers.js'
import { limits } from '../config.js'
import { metricText } from '../platform/metric-text.js'
import type { Service } from '../service/service.js'
import { type Scraped, scrapedLines, scrapeLines } from './scraped-lines.js'

const tickMs = 500
const timeoutNs = 10_000_000_000n

interface State {
  nextAt: bigint
  isUnderWay: boolean
  lastFailure: string
}

export class ScraperRuns {
  readonly figures = { scrapes: 0, failures: 0, points: 0 }
  readonly #service: Service
  readonly #stop = new AbortController()
  readonly #states = new Map<string, State>()
  readonly #underWay = new Set<Promise<void>>()
  #scrapers: readonly Scraper[] = []
  #timer: NodeJS.Timeout | undefined
  #version = -1

  constructor(service: Service) {
    this.#service = service
  }

  start(): void {
    this.#timer = setInterval(() => void this.#tick(), tickMs).unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#stop.abort(new Error('the service is being stopped'))
    await Promise.all(this.#underWay)
  }

  metrics(): string {
    const { scrapes, failures, points } = this.figures
    return [
      counter('scrapes', 'Scrapes of targets.', scrapes),
      counter('scrape_failures', 'Scrapes in vain.', failures),
      counter('scraped_points', 'Points that were scraped and written.', points),
    ].join('')
  }

  async #tick(): Promise<void> {
    const { catalog, clock, log } = this.#service
    try {
      // A look at the version costs nothing: most installations have no scraper.
      const version = catalog.versions.scrapers
      if (version !== this.#version) {
        this.#scrapers = await catalog.scrapers.records.list({})
        this.#version = version
      }
    } catch (error) {
      return log('error', 'scrapers could not be read', { error: (error as Error).message })
    }
    const now = clock.now()
    for (const scraper of this.#scrapers) {
      if (this.#underWay.size >= limits.scrapesMax || this.#stop.signal.aborted) return
      const state = this.#stateOf(scraper.id)
      if (state.isUnderWay || now < state.nextAt) continue
      state.nextAt = now + BigInt(scraper.body.intervalSeconds) * 1_000_000_000n
      const work = this.#scrape(scraper, state).finally(() => this.#underWay.delete(work))
      this.#underWay.add(work)
    }
  }

  #stateOf(id: string): State {
    const known = this.#states.get(id)
    if (known !== undefined) return known
    const state = { nextAt: 0n, isUnderWay: false, lastFailure: '' }
    this.#states.set(id, state)
    return state
  }

  async #scrape(scraper: Scraper, state: State): Promise<void> {
    state.isUnderWay = true
    this.figures.scrapes++
    try {
      await this.#scrapeOnce(scraper)
      state.lastFailure = ''
    } catch (error) {
      if (this.#stop.signal.aborted) return
      this.figures.failures++
      const { message } = error as Error
      const { id, name } = scraper
      if (message !== state.lastFailure) {
        this.#service.log('warn', 'a target could not be scraped', { id, name, error: message })
      }
      state.lastFailure = message
    } finally {
      state.isUnderWay = false
    }
  }

  /** What the scrape itself was like is written also where it was in vain. */
  async #scrapeOnce({ body, name, parentId }: Scraper): Promise<void> {
    const { clock } = this.#service
    const begunAt = clock.now()
    let scraped: Scraped | undefined
    let failure: unknown
    try {
      const text = await this.#fetched(body)
      scraped = scrapedLines(text, clock.now())
    } catch (error) {
      if (this.#stop.signal.aborted) throw error
      failure = error
    }
    const { lines = '', sampleCount = 0 } = scraped ?? {}
    const at = clock.now()
    const isUp = scraped !== undefined
    const durationNs = at - begunAt
    const own = scrapeLines({ name, url: body.url, isUp, sampleCount, durationNs, at })
    await this.#write(parentId, lines + own)
    if (failure !== undefined) throw failure
  }

  async #fetched(body: Scraper['body']): Promise<string> {
    const answer = await this.#service.outgoing.fetch({
      method: 'GET',
      url: body.url,
      headers: [['Accept', 'text/plain;version=0.0.4']],
      body: new Uint8Array(0),
      timeoutNs,
      skipsVerification: body.allowInsecure,
      signal: this.#stop.signal,
    })
    if (answer.statusCode !== 200) throw new Error(`the target answered ${answer.statusCode}`)
    if (answer.body.length > limits.scrapeBytesMax) {
      throw new Error(`the answer is longer than ${limits.scrapeBytesMax} bytes`)
    }
    return Buffer.from(answer.body).toString()
  }

  async #write(bucketId: string, lines: string): Promise<void> {
    const { catalog, writes } = this.#service
    const bucket = await catalog.buckets.require(bucketId)
    const outcome = await writes.write(bucket, Buffer.from(lines))
    this.figures.points += outcome.writtenCount
    const [refused] = [...outcome.malformed, ...outcome.rejected]
    if (refused !== undefined) throw new Error(`points were refused: ${refused.reason}`)
  }
}

function counter(name: string, help: string, value: number): string {
  return metricText(`millrace_${name}_total`, help, 'counter', value)
}

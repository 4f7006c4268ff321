// Samples of a scraped target as line protocol, in the shape that InfluxDB's scrapers give them: the metric is the
// measurement, labels are tags, and the field says what kind of number it is. All fields of a point stand on one line.

import { escapeMeasurement, escapeName } from '../column/series.js'
import { readSamples, type Sample } from '../formats/prometheus-text.js'

export interface Scraped {
  readonly lines: string
  /** Infinite ones, which line protocol has no word for, included; NaN is no value. */
  readonly sampleCount: number
}

/** Throws UserError where the text is none of Prometheus' format. `now`: of samples that name no time. */
export function scrapedLines(text: string, now: bigint): Scraped {
  const points = new Map<string, { fields: string[]; time: bigint }>()
  let sampleCount = 0
  for (const sample of readSamples(text, boundText)) {
    sampleCount++
    // Line protocol has no word for them.
    if (!Number.isFinite(sample.value)) continue
    const { metric, timeNs: time = now } = sample
    const tags = tagsOf(sample)
    const key = `${escapeMeasurement(metric)}${tags}`
    const point = points.get(`${key} ${time}`) ?? { fields: [], time }
    points.set(`${key} ${time}`, point)
    point.fields.push(`${escapeName(fieldOf(sample))}=${sample.value}`)
  }
  let lines = ''
  for (const [place, { fields }] of points) {
    const at = place.lastIndexOf(' ')
    lines += `${place.slice(0, at)} ${fields.join(',')} ${place.slice(at + 1)}\n`
  }
  return { lines, sampleCount }
}

export interface Scrape {
  /** Of the scraper. */
  readonly name: string
  readonly url: string
  /** Whether it answered with metrics. */
  readonly isUp: boolean
  readonly sampleCount: number
  readonly durationNs: bigint
  readonly at: bigint
}

/** What Prometheus adds to the samples of every scrape, also of one in vain. */
export function scrapeLines({ name, url, isUp, sampleCount, durationNs, at }: Scrape): string {
  const { host, port, protocol } = new URL(url)
  const instance = port === '' ? `${host}:${protocol === 'https:' ? 443 : 80}` : host
  const labels = new Map([
    ['instance', instance],
    ['job', name],
  ])
  const gauges = {
    up: isUp ? 1 : 0,
    scrape_duration_seconds: Number(durationNs) / 1e9,
    scrape_samples_scraped: sampleCount,
  }
  const tags = tagText(labels)
  return Object.entries(gauges)
    .map(([metric, value]) => `${metric}${tags} gauge=${value} ${at}\n`)
    .join('')
}

/** As InfluxDB names the last bucket of a histogram. */
function boundText(value: number): string {
  return value === Number.POSITIVE_INFINITY ? '+Inf' : String(value)
}

function fieldOf({ name, metric, type, labels }: Sample): string {
  if (type === 'counter' || type === 'gauge') return type
  if (type === 'untyped') return 'value'
  if (name === `${metric}_sum`) return 'sum'
  if (name === `${metric}_count`) return 'count'
  return labels.get(type === 'summary' ? 'quantile' : 'le') ?? 'value'
}

function tagsOf({ labels, type }: Sample): string {
  const field = type === 'histogram' ? 'le' : type === 'summary' ? 'quantile' : undefined
  return tagText(new Map([...labels].filter(([name]) => name !== field)))
}

function tagText(labels: ReadonlyMap<string, string>): string {
  let tags = ''
  for (const [name, value] of [...labels].sort(([a], [b]) => (a < b ? -1 : 1))) {
    // No tag is empty, and none ends in a backslash.
    const shown = value.replaceAll('\n', '\\n').replace(/\\+$/, '')
    if (shown !== '') tags += `,${escapeName(name)}=${escapeName(shown)}`
  }
  return tags
}

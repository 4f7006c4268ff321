// Samples of a scraped target as line protocol, in the shape that InfluxDB's scrapers give them: the metric is the
// measurement, labels are tags, and the field says what kind of number it is. All fields of a point stand on one line.

import { escapeMeasurement, escapeName } from '../column/series.js'
import { readSamples, type Sample } from '../formats/prometheus-text.js'

/** Throws UserError where the text is none of Prometheus' format. `now`: of samples that name no time. */
export function scrapedLines(text: string, now: bigint): string {
  const points = new Map<string, { fields: string[]; time: bigint }>()
  for (const sample of readSamples(text, boundText)) {
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
  return lines
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
  let tags = ''
  for (const [name, value] of [...labels].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const isField =
      (type === 'histogram' && name === 'le') || (type === 'summary' && name === 'quantile')
    // No tag is empty, and none ends in a backslash.
    const shown = value.replaceAll('\n', '\\n').replace(/\\+$/, '')
    if (!isField && shown !== '') tags += `,${escapeName(name)}=${escapeName(shown)}`
  }
  return tags
}

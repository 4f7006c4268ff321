// The limits of an organization in words, those that are set. A number of 0 is no limit; what is only switched on
// limits nothing.

import type { Limits } from '../api/usage.js'

export interface Words {
  bytesText(bytes: number): string
  durationText(ms: number): string
  retentionText(seconds: number): string
}

type Said = (value: number, words: Words) => string

const counted =
  (what: string): Said =>
  (value) =>
    `${value.toLocaleString('en-US')} ${what}`

const said: Readonly<Record<string, Said>> = {
  'rate.readKBs': (value, { bytesText }) => `${bytesText(value * 1024)} read each second`,
  'rate.writeKBs': (value, { bytesText }) => `${bytesText(value * 1024)} written each second`,
  'rate.queryTime': (value, { durationText }) => `${durationText(value / 1e6)} for a query`,
  'rate.concurrentReadRequests': counted('queries at once'),
  'rate.concurrentWriteRequests': counted('writes at once'),
  'rate.concurrentDeleteRequests': counted('deletes at once'),
  'rate.deleteRequestsPerSecond': counted('deletes each second'),
  'rate.cardinality': counted('series'),
  'bucket.maxBuckets': counted('buckets'),
  'bucket.maxRetentionDuration': (value, { retentionText }) =>
    `points kept for ${retentionText(value / 1e9)} at most`,
  'task.maxTasks': counted('tasks'),
  'dashboard.maxDashboards': counted('dashboards'),
  'check.maxChecks': counted('checks'),
  'notificationRule.maxNotifications': counted('notification rules'),
  'timeout.queryUnconditionalTimeoutSeconds': (value, { durationText }) =>
    `${durationText(value * 1000)} for a query, whatever it does`,
  'timeout.queryidleWriteTimeoutSeconds': (value, { durationText }) =>
    `${durationText(value * 1000)} for a query whose answer nobody takes`,
}

export function limitTexts(limits: Limits, words: Words): readonly string[] {
  const texts: string[] = []
  for (const [section, members] of Object.entries(limits)) {
    for (const [name, value] of Object.entries(members)) {
      const say = said[`${section}.${name}`]
      if (typeof value === 'number' && value > 0) {
        texts.push(say?.(value, words) ?? `${section} ${name}: ${value}`)
      } else if (typeof value === 'string' && value !== '') {
        texts.push(`not allowed: ${value.split(',').join(', ')}`)
      } else if (value === false) {
        texts.push(section === 'stack' ? 'no stacks' : 'no deletes')
      }
    }
  }
  return texts
}

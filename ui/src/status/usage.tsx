// What the organization has used in the last day, bucket by bucket, what it is limited to, and, for whoever runs the
// installation, what the service was started with.

import { useBuckets } from '../api/buckets.js'
import {
  type BucketUsage,
  type Limits,
  useConfiguration,
  useLimits,
  useUsage,
} from '../api/usage.js'
import { bytesText, durationText, retentionText, shortCount } from '../parts/figures.js'
import { Loaded } from '../parts/states.js'
import { useHere } from '../shell/here.js'
import { limitTexts } from './limit-text.js'

export function UsageAndLimits() {
  const { org } = useHere()
  const usage = useUsage(org.id)
  const limits = useLimits(org.id)
  return (
    <>
      <h2>Usage of {org.name}, last day</h2>
      <Loaded of={usage} what="usage">
        {(all) => <UsageTable list={all} orgId={org.id} />}
      </Loaded>
      <h2>Limits of {org.name}</h2>
      <Loaded of={limits} what="limits">
        {(all) => <LimitList limits={all} />}
      </Loaded>
    </>
  )
}

function UsageTable({ list, orgId }: { readonly list: readonly BucketUsage[]; orgId: string }) {
  const { data: buckets = [] } = useBuckets(orgId)
  if (list.length === 0) return <p className="muted">Nothing since the service was started.</p>
  const nameOf = (id: string) => {
    if (id === '') return <span className="muted">several buckets</span>
    return buckets.find((bucket) => bucket.id === id)?.name ?? id
  }
  return (
    <div className="table-scroll">
      <table className="plain-table" aria-label="Usage">
        <thead>
          <tr>
            <th>Bucket</th>
            <th className="is-number">Writes</th>
            <th className="is-number">Written</th>
            <th className="is-number">Queries</th>
            <th className="is-number">Sent</th>
          </tr>
        </thead>
        <tbody>
          {list.map(({ bucketId, writes, writtenBytes, queries, sentBytes }) => (
            <tr key={bucketId}>
              <td>{nameOf(bucketId)}</td>
              <td className="is-number no-wrap">{shortCount(writes)}</td>
              <td className="is-number no-wrap">{bytesText(writtenBytes)}</td>
              <td className="is-number no-wrap">{shortCount(queries)}</td>
              <td className="is-number no-wrap">{bytesText(sentBytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function LimitList({ limits }: { readonly limits: Limits }) {
  const texts = limitTexts(limits, { bytesText, durationText, retentionText })
  if (texts.length === 0) return <p className="muted">None: only the installation’s own.</p>
  return (
    <ul className="limit-list">
      {texts.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  )
}

/** Shown when it is asked for: dozens of options, of which few matter. */
export function Configuration() {
  const found = useConfiguration(true)
  return (
    <details className="configuration">
      <summary>Configuration</summary>
      <Loaded of={found} what="configuration">
        {(all) => (
          <dl className="option-list">
            {Object.entries(all).map(([name, value]) => (
              <div key={name}>
                <dt className="mono">--{name}</dt>
                <dd className="mono">{optionText(value)}</dd>
              </div>
            ))}
          </dl>
        )}
      </Loaded>
    </details>
  )
}

function optionText(value: unknown): string {
  if (value === undefined || value === null || value === '') return '–'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

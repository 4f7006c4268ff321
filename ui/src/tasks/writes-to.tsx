// Where the script of a task writes to, beside the script, as it is typed. Says nothing where the text says nothing,
// or only computes it.

import { useEffect, useState } from 'react'
import type { Bucket } from '../api/buckets.js'
import type { Language } from '../query/language.js'
import type { WriteTarget } from '../query/write-targets.js'

export interface WritesToProps {
  readonly language: Language
  readonly text: string
  /** What InfluxQL reads, and writes to where it names no other. */
  readonly database: string
  readonly buckets: readonly Bucket[]
}

export function WritesTo({ language, text, database, buckets }: WritesToProps) {
  const [targets, setTargets] = useState<readonly WriteTarget[]>([])
  useEffect(() => {
    let isWanted = true
    void targetsOf(language, text).then((found) => {
      if (isWanted) setTargets(found)
    })
    return () => {
      isWanted = false
    }
  }, [language, text])
  const nameOf = ({ bucket, bucketId, measurement }: WriteTarget) => {
    const known = buckets.find(({ id }) => id === bucketId)?.name
    const place = bucket ?? known ?? bucketId ?? database
    return measurement === undefined ? place : `${measurement} in ${place}`
  }
  const names = [...new Set(targets.map(nameOf))].filter((name) => name !== '')
  if (names.length === 0) return null
  return (
    <p className="muted small">
      Writes to <strong>{names.join(', ')}</strong>
    </p>
  )
}

/** With the parsers, which the editor loads too. A task in SQL has a field for it. */
async function targetsOf(language: Language, text: string): Promise<readonly WriteTarget[]> {
  if (language === 'sql') return []
  const { fluxTargets, influxqlTargets } = await import('../query/write-targets.js')
  return language === 'flux' ? fluxTargets(text) : influxqlTargets(text)
}

// Names of time zones, as `tz('Europe/Berlin')` takes them. They are Intl's, but with InfluxDB's
// rules, which come from Go: letters count as they are written, and there are no bare offsets.

import { zoneOf } from '../../column/zone.js'

/** The name for Intl, or undefined if there is no such zone. */
export function findZone(name: string): string | undefined {
  if (name === '' || name === 'UTC') return 'UTC'
  return name === 'Local' ? ownZone() : lookUp(name)
}

function ownZone(): string {
  return new Intl.DateTimeFormat('en').resolvedOptions().timeZone
}

function lookUp(name: string): string | undefined {
  if (!/^[A-Z][A-Za-z0-9_+/-]*$/.test(name)) return undefined
  let canonical: string
  try {
    canonical = zoneOf(name).canonicalName
  } catch {
    return undefined
  }
  // Intl takes any case. Of an alias it does not say how it is written.
  const isOtherCase = canonical !== name && canonical.toLowerCase() === name.toLowerCase()
  return isOtherCase ? undefined : name
}

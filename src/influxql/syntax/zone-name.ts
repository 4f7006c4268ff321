// Names of time zones, as `tz('Europe/Berlin')` takes them. They are Intl's, but with InfluxDB's
// rules, which come from Go: letters count as they are written, and there are no bare offsets.

/** Names that were good, with the name to use. There are some 600, so this cannot grow much. */
const known = new Map<string, string>()

/** The name for Intl, or undefined if there is no such zone. */
export function findZone(name: string): string | undefined {
  if (name === '' || name === 'UTC') return 'UTC'
  const found = known.get(name)
  if (found !== undefined) return found
  const zone = name === 'Local' ? ownZone() : lookUp(name)
  if (zone !== undefined) known.set(name, zone)
  return zone
}

function ownZone(): string {
  return new Intl.DateTimeFormat('en').resolvedOptions().timeZone
}

function lookUp(name: string): string | undefined {
  if (!/^[A-Z][A-Za-z0-9_+/-]*$/.test(name)) return undefined
  let canonical: string
  try {
    canonical = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
  // Intl takes any case. Of an alias it does not say how it is written.
  const isOtherCase = canonical !== name && canonical.toLowerCase() === name.toLowerCase()
  return isOtherCase ? undefined : name
}

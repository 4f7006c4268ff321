// In which zone moments are shown: the browser's own or UTC, as the settings say. Another choice loads the page anew,
// so that nothing keeps a moment in the old one.

/** Of a page; workers and tests have neither. */
interface Surroundings {
  readonly localStorage?: {
    getItem(key: string): string | null
    setItem(key: string, text: string): void
  }
  readonly location?: { reload(): void }
}

const surroundings = globalThis as Surroundings

const zoneKey = 'millrace-time-zone'

export type ZoneChoice = 'local' | 'utc'

export function zoneChoice(): ZoneChoice {
  return surroundings.localStorage?.getItem(zoneKey) === 'utc' ? 'utc' : 'local'
}

export function chooseZone(choice: ZoneChoice): void {
  surroundings.localStorage?.setItem(zoneKey, choice)
  surroundings.location?.reload()
}

/** For `Intl`; undefined: the browser's own. */
export function shownZone(): string | undefined {
  return zoneChoice() === 'utc' ? 'UTC' : undefined
}

/** A date whose own year, hours and so on are those that are shown. */
export function shownDate(ms: number): Date {
  const at = new Date(ms)
  return zoneChoice() === 'utc' ? new Date(ms + at.getTimezoneOffset() * 60_000) : at
}

/** The moment that such a date stands for. */
export function momentOfShown(at: Date): number {
  const offsetMs = zoneChoice() === 'utc' ? at.getTimezoneOffset() * 60_000 : 0
  return at.getTime() - offsetMs
}

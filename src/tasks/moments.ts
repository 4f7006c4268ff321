// Moments between the catalog, which keeps them as text, and the clock, which counts nanoseconds. Only the catalog's
// own two forms are read: whole seconds, and seconds with nine digits behind the point.

export function momentOf(text: string): bigint {
  const seconds = BigInt(Date.parse(`${text.slice(0, 19)}Z`)) / 1000n
  const fraction = /^\.(\d{1,9})/.exec(text.slice(19))?.[1] ?? ''
  return seconds * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'))
}

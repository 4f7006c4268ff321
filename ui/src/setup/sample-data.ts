// A house over one day, as line protocol: rooms with temperature and humidity, doors, the power that comes from the
// roof and goes into the house. Made the same way for everybody, so that what is told about it is true.

const rooms = [
  { name: 'kitchen', base: 21, swing: 1.6 },
  { name: 'living', base: 20.5, swing: 1.2 },
  { name: 'bedroom', base: 18.5, swing: 0.9 },
  { name: 'cellar', base: 14, swing: 0.3 },
] as const

const minute = 60_000
export const sampleMinutes = 24 * 60

/** Points of every minute until `now`, in milliseconds. */
export function sampleLines(now: number): string {
  const lines: string[] = []
  const random = noise(20_260_101)
  for (let i = sampleMinutes - 1; i >= 0; i--) {
    const at = Math.floor(now / minute) * minute - i * minute
    const hour = (new Date(at).getUTCHours() + new Date(at).getUTCMinutes() / 60) / 24
    const day = Math.sin((hour - 0.3) * 2 * Math.PI)
    for (const { name, base, swing } of rooms) {
      const temperature = base + swing * day + random() * 0.25
      const humidity = 48 - 4 * day + (name === 'cellar' ? 14 : 0) + random() * 1.5
      lines.push(
        `room,room=${name} temperature=${temperature.toFixed(2)},humidity=${humidity.toFixed(1)} ${at}`,
      )
    }
    const roof = Math.max(0, 3200 * Math.sin((hour - 0.25) * 2 * Math.PI) + random() * 250)
    const used =
      320 + 900 * Math.max(0, Math.sin((hour - 0.6) * 4 * Math.PI)) + Math.abs(random()) * 140
    lines.push(`power,meter=roof watts=${roof.toFixed(0)} ${at}`)
    lines.push(`power,meter=house watts=${used.toFixed(0)} ${at}`)
    if (i % 97 === 0) lines.push(`door,door=front open=${i % 2 === 0} ${at}`)
  }
  return lines.join('\n')
}

/** From -1 to 1, the same for the same seed. */
function noise(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 31 - 1
  }
}

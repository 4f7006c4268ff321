// The data that several benchmarks share: 10 tags and 10 integer gauges a row (350 bytes) from many hosts in turn, the
// same in every run, and what a benchmark returns.

export interface Figures {
  readonly name: string
  readonly figures: Readonly<Record<string, number>>
  /** A digest of the answers: a benchmark that computes the wrong thing is not fast. */
  readonly check: string
}

const linesPerRequest = 5000
const startSeconds = 1_451_606_400
const stepSeconds = 10

export const startTime = BigInt(startSeconds) * 1_000_000_000n

const fieldNames = 'user system idle nice iowait irq softirq steal guest guest_nice'.split(' ')

/** Requests of 5,000 lines: every host once per step, 10 s apart. */
export function makeBodies(hostCount: number, stepCount: number): Uint8Array[] {
  const random = generator(12345)
  const hosts = Array.from({ length: hostCount }, (_, i) => seriesKey(i, random))
  const levels = hosts.map(() => fieldNames.map(() => random() * 100))
  const bodies: Uint8Array[] = []
  let lines: string[] = []
  for (let step = 0; step < stepCount; step++) {
    const time = `${startSeconds + step * stepSeconds}000000000\n`
    for (let host = 0; host < hostCount; host++) {
      lines.push(`${hosts[host]} ${fieldList(levels[host], random)} ${time}`)
      if (lines.length < linesPerRequest) continue
      bodies.push(new TextEncoder().encode(lines.join('')))
      lines = []
    }
  }
  if (lines.length > 0) bodies.push(new TextEncoder().encode(lines.join('')))
  return bodies
}

function seriesKey(host: number, random: () => number): string {
  const region = `region-${Math.floor(random() * 9)}`
  const tags = [
    `arch=x${random() < 0.5 ? 64 : 86}`,
    `datacenter=${region}${'abc'[Math.floor(random() * 3)]}`,
    `hostname=host_${host}`,
    'os=Ubuntu16.04LTS',
    `rack=${Math.floor(random() * 100)}`,
    `region=${region}`,
    `service=${Math.floor(random() * 20)}`,
    'service_environment=production',
    `service_version=${Math.floor(random() * 2)}`,
    `team=${['SF', 'NYC', 'LON', 'CHI'][Math.floor(random() * 4)]}`,
  ]
  return `cpu,${tags.join(',')}`
}

/** Walks each level a little and prints it. */
function fieldList(levels: number[], random: () => number): string {
  let list = ''
  for (let f = 0; f < levels.length; f++) {
    levels[f] = Math.max(0, Math.min(100, levels[f] + (random() - 0.5) * 3))
    list += `${f === 0 ? '' : ','}usage_${fieldNames[f]}=${Math.round(levels[f])}i`
  }
  return list
}

/** Numbers in [0, 1) that are the same in every run. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 4294967296
  }
}

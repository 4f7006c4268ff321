// A metric in the text form that Prometheus reads: what it is, then its samples. One that has labels gives its samples
// as lines of its own, others are one line with their name.

export function metricText(
  name: string,
  help: string,
  type: string,
  samples: number | bigint | readonly string[],
): string {
  const lines = Array.isArray(samples) ? samples.join('') : `${name} ${samples}\n`
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines}`
}

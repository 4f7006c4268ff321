// What this server says it is. The version string is behaviour: clients choose their dialect by its
// first number (Grafana looks for ^2. and ^3., Chronograf takes `-c` for the enterprise edition,
// `influx backup` refuses less than 2), so it names the InfluxDB whose interface is served, not
// this program's own version.

import type { Variant } from '../../config.js'

/** This program's own version. */
export const programVersion = '0.1.0'

const interfaceVersions: Record<Variant, string> = { managed: '2.7.12', cluster: '3.0.0' }

/** `OSS` is the build that clients expect from a server on one's own machine. */
export const interfaceBuild = 'OSS'

/** As programs parse it: on `/ping`, which Grafana and v3 clients ask. */
export function interfaceVersion(variant: Variant): string {
  return interfaceVersions[variant]
}

/** As InfluxDB 2 tells it everywhere else, with the letter that clients of v2 look for. */
export function toldVersion(variant: Variant): string {
  return variant === 'managed' ? `v${interfaceVersions.managed}` : interfaceVersions.cluster
}

/** The cluster's contract declares a whole number. */
export function serviceVersion(variant: Variant): string {
  return variant === 'managed' ? interfaceVersions.managed : interfaceVersions.cluster.split('.')[0]
}

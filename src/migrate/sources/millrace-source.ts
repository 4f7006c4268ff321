// Another Millrace that serves resources: its points are read by InfluxQL, which is exact and lets it count by itself;
// what people have made beside them is asked of its interface for that.

import type { V1Client } from '../connection/v1-client.js'
import { readV2Resources } from '../connection/v2-resources.js'
import type { MigrationSource, SourceDescription } from '../plan/source.js'
import type { QuerySource } from './query-source.js'
import { chosenOrganization, describeV2, type PlacedBucket } from './v2-description.js'
import type { WatchedUnits } from './watched-units.js'

export function millraceSource(
  client: V1Client,
  points: QuerySource,
  organization: string | undefined,
  watched?: WatchedUnits,
): MigrationSource {
  return {
    title: `Millrace at ${client.url}`,
    describe: () => describe(client, points, organization, watched),
    fields: (database, policy) => points.fields(database, policy),
    read: (request) => points.read(request),
    statistics: points.statistics,
    countUnit: points.countUnit,
    receivedBytes: () => points.receivedBytes(),
    close: () => points.close(),
  }
}

async function describe(
  client: V1Client,
  points: QuerySource,
  organization: string | undefined,
  watched: WatchedUnits | undefined,
): Promise<SourceDescription> {
  const { metadata, notes } = await readV2Resources(client, organization)
  const chosen = chosenOrganization(metadata, organization)
  const plain = await points.describe()
  const pointsOf = async ({ bucket, database, policy }: PlacedBucket) => {
    const found = plain.databases.find(({ name }) => name === database)
    const units = found?.policies.find(({ name }) => name === policy)?.units ?? []
    return watched?.look(bucket.id, units) ?? { units }
  }
  const { databases, resources } = await describeV2(metadata, chosen, pointsOf)
  const withQueries = databases.map((database) => {
    const same = plain.databases.find(({ name }) => name === database.name)
    return { ...database, continuousQueries: same?.continuousQueries ?? [] }
  })
  const all = { users: plain.users, notes: [...plain.notes, ...notes] }
  return { databases: withQueries, ...all, ...(resources === undefined ? {} : { resources }) }
}

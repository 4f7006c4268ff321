// Replicas as processes agree on them: who is read from, who comes back, and when. Servers and registry are simple
// ones of this file; test/cluster/ has the real ones.

import type { ClickHouseClient } from '@clickhouse/client'
import { expect, it } from 'vitest'
import type { StoredReplica } from './registry.js'
import { type ReplicaStorage, Replicas } from './replicas.js'
import { Server } from './server.js'

class Storage implements ReplicaStorage {
  all: StoredReplica[] = [
    { name: '1/a', shard: 0, state: 'in', turn: 1 },
    { name: '1/b', shard: 0, state: 'out', turn: 1 },
  ]
  replicasVersion = 1
  hasEverybodySeen = false

  replicas = async () => this.all
  meetReplica = async () => undefined
  isSeenByAll = async () => this.hasEverybodySeen

  async moveReplica(name: string, turn: number, state: StoredReplica['state']) {
    const own = this.all.find((one) => one.name === name)
    if (own?.turn !== turn) return false
    if (own.state === state) return true
    const moved = { ...own, state, turn: turn + 1 }
    this.all = this.all.map((one) => (one === own ? moved : one))
    this.replicasVersion++
    return true
  }
}

it('a replica that returns is not read from while a process may write without it', async () => {
  const storage = new Storage()
  const servers = ['a', 'b'].map((name) => {
    const server = new Server({} as ClickHouseClient, `http://${name}`)
    server.place = { shard: 0, name: `1/${name}` }
    return server
  })
  const replicas = new Replicas(storage, servers, () => undefined)
  const caughtUp: string[] = []
  const round = () =>
    replicas.bringBack(async ({ url }) => {
      caughtUp.push(url)
    })
  const read = async () => (await replicas.readable(0, 0)).map(({ url }) => url)
  await round()
  expect(storage.all.map(({ state }) => state)).toEqual(['in', 'returning'])
  expect(await read()).toEqual(['http://a'])
  await round()
  expect(await read()).toEqual(['http://a'])
  storage.hasEverybodySeen = true
  caughtUp.length = 0
  await round()
  expect(storage.all.map(({ state }) => state)).toEqual(['in', 'in'])
  // Once more after everybody has seen it: what was written meanwhile without it is fetched.
  expect(caughtUp).toEqual(['http://b', 'http://b'])
  expect(await read()).toEqual(['http://a', 'http://b'])
})

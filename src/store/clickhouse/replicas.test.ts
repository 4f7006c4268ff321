// Replicas as processes agree on them: who is read from, who comes back, and when. Servers and registry are simple
// ones of this file; test/cluster/ has the real ones.

import { expect, it } from 'vitest'
import type { StoredReplica } from './registry.js'
import { type ReplicaStorage, Replicas } from './replicas.js'
import { Server, type ServerClients } from './server.js'

class Storage implements ReplicaStorage {
  all: StoredReplica[] = [
    { name: '1/a', shard: 0, state: 'in', turn: 1, begun: 1000 },
    { name: '1/b', shard: 0, state: 'out', turn: 1, begun: 1000 },
  ]
  replicasVersion = 1
  hasEverybodySeen = false

  replicas = async () => this.all
  meetReplica = async () => undefined
  noteWhole = async (name: string, begun: number) => {
    this.all = this.all.map((one) => (one.name === name ? { ...one, begun } : one))
  }
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

class FakeServer extends Server {
  override begun = async () => 1001

  constructor(name: string) {
    super({} as ServerClients, `http://${name}`)
    this.place = { shard: 0, name: `1/${name}` }
  }
}

it('a server is believed to have everything as long as its process is the same', async () => {
  const storage = new Storage()
  const server = new FakeServer('a')
  const noKeeper = async () => {
    throw new Error('it has no keeper')
  }
  await new Replicas(storage, [server], () => undefined).bringBack(noKeeper)
  expect(server.isWhole).toBe(true)
  const anew = new FakeServer('a')
  anew.begun = async () => 1100
  const replicas = new Replicas(storage, [anew], () => undefined)
  await replicas.bringBack(noKeeper)
  expect(anew.isWhole).toBe(false)
  await replicas.bringBack(async () => undefined)
  expect([anew.isWhole, storage.all[0].begun]).toEqual([true, 1100])
})

it('a replica that returns is not read from while a process may write without it', async () => {
  const storage = new Storage()
  const servers = ['a', 'b'].map((name) => new FakeServer(name))
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

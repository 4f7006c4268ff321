// Stores that note what is read, for EXPLAIN and profiles: one reads nothing, so that whoever runs a query on it finds
// out which reads the query makes; one reads as ever. All other questions are answered by the store behind it.

import type { Batch } from '../column/batch.js'
import { type PullStream, streamOf } from '../platform/pull-stream.js'
import type { ReadRequest, Store } from './store.js'

/** Of one query: more of them tell nothing new. */
const notedMax = 10_000

/** What a query has read, or would read. */
export class NotedReads {
  readonly requests: ReadRequest[] = []
  /** There were more. */
  isCut = false

  /** Whether there is room for more. */
  note(request: ReadRequest): boolean {
    if (this.requests.length < notedMax) this.requests.push(request)
    else this.isCut = true
    return !this.isCut
  }
}

/** Ends a query whose first reads are all that is to be known. */
export class EnoughNoted extends Error {}

/** Reads nothing; throws EnoughNoted where a query goes on reading for ever. */
export function silentReads(store: Store, noted: NotedReads): Store {
  const note = (request: ReadRequest): PullStream<Batch> => {
    if (!noted.note(request)) throw new EnoughNoted()
    return streamOf(nothing())
  }
  return withReads(store, {
    read: note,
    readSeveral(requests) {
      for (const request of requests) note(request)
      return streamOf(nothing())
    },
    prepare: (request) => ({ read: (range) => note({ ...request, range }) }),
  })
}

export function notingReads(store: Store, noted: NotedReads): Store {
  return withReads(store, {
    read(request, signal) {
      noted.note(request)
      return store.read(request, signal)
    },
    readSeveral(requests, signal) {
      for (const request of requests) noted.note(request)
      return store.readSeveral(requests, signal)
    },
    prepare(request) {
      const prepared = store.prepare(request)
      return {
        read(range, signal) {
          noted.note({ ...request, range })
          return prepared.read(range, signal)
        },
      }
    },
  })
}

function withReads(store: Store, own: Pick<Store, 'read' | 'readSeveral' | 'prepare'>): Store {
  return new Proxy(store, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name)
      const value = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

async function* nothing(): AsyncGenerator<Batch, void, void> {}

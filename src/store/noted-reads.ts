// A store that notes what is read and reads nothing, for EXPLAIN: whoever runs a query on it finds out which reads the
// query makes. All other questions are answered by the store behind it.

import type { Batch } from '../column/batch.js'
import { type PullStream, streamOf } from '../platform/pull-stream.js'
import type { ReadRequest, Store } from './store.js'

export function notedReads(store: Store, noted: ReadRequest[]): Store {
  const read = (request: ReadRequest): PullStream<Batch> => {
    noted.push(request)
    return streamOf(nothing())
  }
  const own: Pick<Store, 'read' | 'readSeveral' | 'prepare'> = {
    read,
    readSeveral(requests) {
      noted.push(...requests)
      return streamOf(nothing())
    },
    prepare: (request) => ({ read: (range) => read({ ...request, range }) }),
  }
  return new Proxy(store, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name)
      const value = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

async function* nothing(): AsyncGenerator<Batch, void, void> {}

// A worker thread that parses large bodies (`parse-server.ts`). A file of its own, so that such a thread loads the
// parser and nothing else.

import { parentPort } from 'node:worker_threads'
import { assert } from '../../errors.js'
import { nameThread } from '../../platform/thread-priority.js'
import type { ParseRequest } from './messages.js'
import { ParseServer } from './parse-server.js'

assert(parentPort !== null, 'runs as a worker')
const port = parentPort
nameThread('parse')
const server = new ParseServer((reply) => port.postMessage(reply))
port.on('message', (request: ParseRequest) => server.handle(request))

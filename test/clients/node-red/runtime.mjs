// Node-RED without its editor, in a process of its own: runs the flows of the folder that it is told, with the nodes of
// node-red-contrib-influxdb and the probe beside this file.

import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)
const runtime = require('@node-red/runtime')

/** Nodes that fail on a message say so in the log. */
function tellFailure({ id, msg }) {
  process.send({ kind: 'done', at: id, error: String(msg) })
}

const settings = {
  userDir: process.argv[2],
  flowFile: 'flows.json',
  credentialSecret: false,
  nodesDir: [
    dirname(fileURLToPath(import.meta.url)),
    dirname(require.resolve('node-red-contrib-influxdb/package.json')),
  ],
  uiPort: 0,
  telemetry: { enabled: false },
  logging: { console: { level: 'off' }, failures: { level: 'error', handler: () => tellFailure } },
}
require('@node-red/util').init(settings)
runtime.init(settings)
await runtime.start()

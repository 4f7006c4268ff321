// Bodies of requests about templates, which may be YAML. They are turned into JSON before they are
// parsed, so that the limits and checks of JSON bodies hold for them as well.

import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify'
import { yamlBytesMax, yamlDocuments } from '../../../catalog/templates/template-text.js'
import { UserError } from '../../../errors.js'

const yamlTypes = new Set(['application/x-yaml', 'application/yaml', 'text/yaml', 'text/yml'])

export function yamlBodies(scope: FastifyInstance): void {
  scope.addHook('preParsing', async (request, _reply, payload) => {
    const type = contentTypeOf(request)
    if (type === 'application/x-jsonnet') {
      const reason = 'template from source(s) had an issue: invalid encoding provided'
      throw new UserError('unprocessable entity', reason)
    }
    if (!yamlTypes.has(type)) return payload
    const bytes = await collect(payload)
    const json = jsonOf(bytes.toString('utf8'))
    const stream: RequestPayload = Readable.from([Buffer.from(json)], { objectMode: false })
    // Compared with the Content-Length, which is that of the YAML.
    stream.receivedEncodedLength = bytes.length
    return stream
  })
}

/** As it was sent: routes that take JSON no longer see it among the headers. */
function contentTypeOf(request: FastifyRequest): string {
  const { rawHeaders } = request.raw
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (rawHeaders[i].toLowerCase() !== 'content-type') continue
    return rawHeaders[i + 1].split(';')[0].trim().toLowerCase()
  }
  return ''
}

async function collect(payload: RequestPayload): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of payload) {
    length += chunk.length
    if (length > yamlBytesMax) {
      const reason = `YAML is too large, the maximum is ${yamlBytesMax} bytes`
      throw new UserError('request too large', reason)
    }
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

function jsonOf(source: string): string {
  try {
    const [first, ...others] = yamlDocuments(source)
    if (others.length > 0) throw new UserError('invalid', 'more than one document')
    return first === undefined ? '' : JSON.stringify(first)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    throw new UserError('invalid', `unable to unmarshal yaml: ${error.message}`)
  }
}

// Backups in S3: signatures as Amazon's documentation has them, objects of any size through a server that checks each
// request, broken connections and busy servers, and the commands from a backup to a restored installation.

import { afterAll, expect, test } from 'vitest'
import { S3Client } from '../../src/backup/s3-client.js'
import { openS3Place, S3Place } from '../../src/backup/s3-place.js'
import { signedHeaders } from '../../src/platform/aws-signature.js'
import { systemClock } from '../../src/platform/clock.js'
import { seededRandom } from '../../src/platform/random.js'
import { install, installation, start, temporaryFolder } from '../api/harness.js'
import { finish, run } from '../api/program.js'
import { accessKeyId, secretAccessKey, startS3 } from './s3-server.js'

const s3 = await startS3()
afterAll(() => s3.close())

const variables = {
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
  AWS_ENDPOINT_URL: s3.url,
}

function client(bucket: string, secret = secretAccessKey): S3Client {
  const credentials = { accessKeyId, secretAccessKey: secret, sessionToken: 'lent+for/a=while' }
  const options = { bucket, region: 'eu-north-1', endpoint: s3.url, credentials, retryMs: 1 }
  return new S3Client({ ...options, clock: systemClock })
}

test.each([
  [
    'GET',
    '/test.txt',
    { range: 'bytes=0-9' },
    '',
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'GET',
    '/?lifecycle=',
    {},
    '',
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  [
    'GET',
    '/?max-keys=2&prefix=J',
    {},
    '',
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
  [
    'PUT',
    '/test%24file.text',
    { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
    'Welcome to Amazon S3.',
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
] as const)(
  'signs %s %s as the documentation of S3 does',
  (method, path, headers, text, wanted) => {
    const credentials = {
      accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      sessionToken: undefined,
    }
    const url = new URL(`https://examplebucket.s3.amazonaws.com${path}`)
    const place = { credentials, region: 'us-east-1', service: 's3' }
    const request = { method, url, headers, body: Buffer.from(text) }
    const { authorization } = signedHeaders(request, place, '20130524T000000Z')
    expect(authorization.split('Signature=')[1]).toBe(wanted)
  },
)

async function* pieces(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += 300_000) yield bytes.subarray(at, at + 300_000)
}

async function whole(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts)
}

test('objects of any size go out and come back, also over a line that breaks', async () => {
  const place = new S3Place(client('large'), 'large', "a folder/with (odd) 'names'")
  const bytes = Buffer.from(seededRandom(5).bytes(33 << 20))
  const seen = new Set<string>()
  // Each kind of request fails once, and each answer with bytes is cut once.
  s3.disturb = (request) => {
    const kind = request.replace(/\d+/g, '')
    if (seen.has(kind)) return undefined
    seen.add(kind)
    return request.startsWith('GET') && !request.includes('list-type') ? 'cut' : 503
  }
  const written = await place.write('segments/one', pieces(bytes))
  expect(written.byteLength).toBe(bytes.length)
  expect((await whole(place.read('segments/one'))).equals(bytes)).toBe(true)
  await place.write('segments/empty', pieces(new Uint8Array(0)))
  expect((await whole(place.read('segments/empty'))).length).toBe(0)
  for (let i = 0; i < 7; i++) await place.write(`x-${i}/y`, pieces(Buffer.from('z')))
  expect(await place.list('')).toEqual([
    'segments',
    'x-0',
    'x-1',
    'x-2',
    'x-3',
    'x-4',
    'x-5',
    'x-6',
  ])
  expect(await place.list('segments')).toEqual(['empty', 'one'])
  await place.removeFolder('x-3')
  expect(await place.exists('x-3/y')).toBe(false)
  expect(await place.exists('x-4/y')).toBe(true)
  s3.disturb = () => undefined
})

test('a refusal says why, without what was signed', async () => {
  const other = new S3Place(client('large', 'another secret'), 'large', '')
  const refused = await other.list('').catch((error: Error) => error.message)
  expect(refused).toBe('s3://large: SignatureDoesNotMatch: another signature')
  s3.disturb = () => 503
  const busy = await other.exists('x').catch((error: Error) => error.message)
  s3.disturb = () => undefined
  expect(busy).toBe('s3://large: the server answered with 403')
  const open = (address: string, of: Readonly<Record<string, string>> = variables) =>
    openS3Place(address, undefined, of, systemClock)
  expect(() => open('s3://x')).toThrow('is no address')
  expect(() => open('s3://bucket/../other')).toThrow('is no address')
  expect(() => open('s3://bucket', {})).toThrow('AWS_ACCESS_KEY_ID')
})

test('backups go to S3 and come back by the commands', async () => {
  const one = await install({ dataDir: temporaryFolder() })
  const lines = Array.from({ length: 500 }, (_, i) => `m,t=a\\ b f=${i},s="x, ${i}" ${i}`)
  await one.write(lines.join('\n'))
  const environment = { MILLRACE_HOST: one.url, MILLRACE_TOKEN: one.token, ...variables }
  const call = (...args: string[]) => finish(run(args, environment))
  const first = await call('backup', 's3://backups/here')
  expect([first.code, first.errors]).toEqual([0, ''])
  const expected = await one.lines()
  const flushed = one.server.store as unknown as { flush(): Promise<void> }
  await flushed.flush()
  await one.write('m,t=late f=1 1000')
  const second = await call('backup', 's3://backups/here', '--keep', '5')
  expect([second.code, second.errors]).toEqual([0, ''])
  const names = [first, second].map(({ output }) => output.split(':')[0])
  const listed = await call('backup', 'list', 's3://backups/here')
  for (const name of names) expect(listed.output).toMatch(new RegExp(`^${name} .* whole$`, 'm'))
  expect((await call('backup', 'verify', 's3://backups/here')).code).toBe(0)

  const restored = `${temporaryFolder()}/data`
  const put = await call(
    'restore',
    's3://backups/here',
    '--data-dir',
    restored,
    '--backup',
    names[0],
  )
  expect([put.code, put.errors]).toEqual([0, ''])
  const copy = await start({ dataDir: restored })
  expect(await installation(copy, one.token, one.orgId, one.bucketId).lines()).toEqual(expected)

  const kept = await call('backup', 's3://backups/here', '--keep', '1')
  expect(kept.output).toContain(`${names[0]} removed`)
  expect([...s3.objects.keys()].filter((key) => key.endsWith('backup.json')).length).toBe(1)
  expect((await call('backup', 'verify', 's3://backups/here')).code).toBe(0)
  const catalog = [...s3.objects.keys()].find((key) => key.endsWith('catalog.sqlite')) ?? ''
  s3.objects.set(catalog, Buffer.from('other bytes'))
  const bad = await call('backup', 'verify', 's3://backups/here')
  expect([bad.code, bad.output]).toEqual([3, expect.stringContaining('is not what was written')])
  const refused = await finish(
    run(['backup', 'list', 's3://backups/here'], { ...environment, AWS_SECRET_ACCESS_KEY: 'no' }),
  )
  expect([refused.code, refused.errors]).toEqual([
    1,
    'millrace: s3://backups: SignatureDoesNotMatch: another signature\n',
  ])
}, 240_000)

// A replication to a second Millrace and one to InfluxDB 1.x, all in processes of their own, while the line to the
// remote is cut and each side is killed: every point that was acknowledged arrives, at both.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { send, temporaryFolder } from '../api/client.js'
import { type CuttableLine, lineTo } from '../cluster/cuttable-line.js'
import { hasInfluxd, startInfluxd } from '../influxd.js'
import { exported, serve, setUp } from './server-process.js'

const flags = ['--flux-private-hosts']

interface Source {
  readonly url: string
  readonly token: string
}

async function replicate({ url, token }: Source, remote: object, bucket: object): Promise<void> {
  const post = async (path: string, body: object) => {
    const target = `${url}/api/v2/${path}`
    const answer = await send(target, { method: 'POST', token, body: JSON.stringify(body) })
    expect(answer.status, answer.text).toBe(201)
    return answer.json.id
  }
  const { json } = await send(`${url}/api/v2/buckets?name=b`, { token })
  const [{ id: localBucketID, orgID }] = json.buckets
  const remoteID = await post('remotes', { orgID, name: 'r', ...remote })
  await post('replications', { orgID, name: 'p', remoteID, localBucketID, ...bucket })
}

/** Writes until it is told to stop; the numbers of the points that were acknowledged. */
function writer(source: () => Source) {
  const acknowledged: number[] = []
  let isOver = false
  const work = (async () => {
    for (let number = 1; !isOver; number++) {
      const { url, token } = source()
      const target = `${url}/api/v2/write?org=o&bucket=b`
      const body = `m,w=a n=${number}i,s="text ${number}" ${number}`
      const answer = await send(target, { method: 'POST', token, body }).catch(() => undefined)
      if (answer?.status === 204) acknowledged.push(number)
      await new Promise((resolve) => setTimeout(resolve, answer === undefined ? 50 : 1))
    }
  })()
  const stop = () => {
    isOver = true
    return work
  }
  return { acknowledged, stop }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const portOf = (url: string) => Number(new URL(url).port)

async function startedAgain(folder: string): Promise<void> {
  const child = spawn('influxd', ['-config', `${folder}/influxdb.conf`], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'spawn')
}

test.skipIf(!hasInfluxd)(
  'loses nothing while either side is killed and lines are cut',
  async () => {
    const [sourceFolder, targetFolder] = [temporaryFolder(), temporaryFolder()]
    const influxd = await startInfluxd()
    await influxd.query('CREATE DATABASE d')
    let target = await serve(targetFolder)
    const targetToken = await setUp(target.url)
    let source = await serve(sourceFolder, flags)
    const token = await setUp(source.url)
    const lines: CuttableLine[] = []
    // A process that is started again has another port: the line leads to where it is.
    const line = await lineTo(() => portOf(target.url))
    const lineV1 = await lineTo(portOf(influxd.url))
    lines.push(line, lineV1)
    const place = { url: source.url, token }
    const remoteURL = `http://127.0.0.1:${line.port}`
    await replicate(place, { remoteURL, remoteAPIToken: targetToken }, { remoteBucketName: 'b' })
    const v1 = { remoteURL: `http://127.0.0.1:${lineV1.port}/write` }
    await replicate(place, v1, { remoteBucketName: 'd/autogen' })

    const { acknowledged, stop } = writer(() => ({ url: source.url, token }))
    await pause(300)
    await source.end('SIGKILL')
    source = await serve(sourceFolder, flags)
    await pause(200)
    await target.end('SIGKILL')
    const stopped = influxd.stop()
    await pause(300)
    // While nobody takes its points.
    await source.end('SIGKILL')
    source = await serve(sourceFolder, flags)
    target = await serve(targetFolder)
    await stopped
    await startedAgain(influxd.folder)
    await pause(200)
    for (const one of lines) one.cut()
    await pause(200)
    for (const one of lines) one.mend()
    await stop()

    const wanted = acknowledged.map((number) => `m,w=a n=${number}i,s="text ${number}" ${number}`)
    expect(wanted.length).toBeGreaterThan(20)
    const missing = async (there: readonly string[]) => {
      const set = new Set(there)
      return wanted.filter((one) => !set.has(one))
    }
    const inMillrace = () => exported(target.url, targetToken)
    await expect
      .poll(async () => missing(await inMillrace()), { timeout: 30_000, interval: 200 })
      .toEqual([])
    const inInfluxd = async () => {
      const [{ series }] = await influxd.query('SELECT n, s FROM m', 'd')
      return (series?.[0].values ?? []).map(([time, n, s]) => `m,w=a n=${n}i,s="${s}" ${time}`)
    }
    await expect
      .poll(async () => missing(await inInfluxd().catch(() => [])), {
        timeout: 30_000,
        interval: 200,
      })
      .toEqual([])
  },
  90_000,
)

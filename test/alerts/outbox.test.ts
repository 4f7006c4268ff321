// Several processes deliver from one catalog: each message goes out once, one that its process was at when it died goes
// to another when its lease is over and not before, and what a process says of messages that it has lost is not heard.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, it, onTestFinished, vi } from 'vitest'
import { messageLeaseNs, Outbox } from '../../src/alerts/delivery/outbox.js'
import { type AlertMessage, messageText } from '../../src/alerts/status/message.js'
import { parseTimestamp } from '../../src/catalog/base/timestamps.js'
import { Catalog } from '../../src/catalog/catalog.js'
import { scriptTools } from '../../src/flux/tools/script-tools.js'
import { ManualClock } from '../../src/platform/clock.js'
import { OutgoingAddresses } from '../../src/platform/outgoing-address.js'
import { OutgoingMails } from '../../src/platform/outgoing-mail.js'
import { systemRandom } from '../../src/platform/random.js'
import type { Writes } from '../../src/service/write/writes.js'
import { outgoingRequests, RecordingServer } from '../flux/outgoing.js'

class Place {
  readonly clock = new ManualClock(parseTimestamp('2026-03-02T10:00:00Z'))
  readonly receiver: RecordingServer
  readonly catalogs: readonly Catalog[]
  readonly orgId: string
  readonly endpointId: string
  /** What was written into `_monitoring`. */
  readonly recorded: string[] = []

  private constructor(
    receiver: RecordingServer,
    catalogs: readonly Catalog[],
    orgId: string,
    endpointId: string,
    clock: ManualClock,
  ) {
    this.receiver = receiver
    this.catalogs = catalogs
    this.orgId = orgId
    this.endpointId = endpointId
    this.clock = clock
  }

  /** Two processes: each has a catalog of its own over the same file. */
  static async open(): Promise<Place> {
    const folder = mkdtempSync(`${tmpdir()}/millrace-outbox-`)
    const receiver = await RecordingServer.start()
    const clock = new ManualClock(parseTimestamp('2026-03-02T10:00:00Z'))
    const path = `${folder}/catalog.sqlite`
    const parts = { path, clock, random: systemRandom, scriptTools: async () => scriptTools }
    const catalogs = [await Catalog.open(parts), await Catalog.open(parts)]
    onTestFinished(async () => {
      for (const catalog of catalogs) await catalog.close()
      await receiver.stop()
      rmSync(folder, { recursive: true, force: true })
    })
    const { id: orgId } = await catalogs[0].organizations.create({ name: 'o' })
    const http = { type: 'http', url: receiver.url, method: 'POST', authMethod: 'none' }
    const endpoint = await catalogs[0].inTransaction((inside) =>
      inside.notificationEndpoints.create(orgId, undefined, { name: 'e', ...http }),
    )
    return new Place(receiver, catalogs, orgId, endpoint.id, clock)
  }

  outbox(index: number, retryMs: readonly number[] = [1000]): Outbox {
    const { clock, recorded } = this
    const write = async (_bucket: unknown, bytes: Uint8Array) => {
      recorded.push(Buffer.from(bytes).toString())
      return { rejected: [], malformed: [] }
    }
    return new Outbox({
      catalog: this.catalogs[index],
      clock,
      random: systemRandom,
      writes: { write } as unknown as Writes,
      log: () => {},
      isAlone: false,
      retryMs,
      sender: {
        outgoing: outgoingRequests({ arePrivateHostsAllowed: true }),
        mail: new OutgoingMails(new OutgoingAddresses({ arePrivateHostsAllowed: true }), 2),
        timeoutNs: 60_000_000_000n,
        nowMs: () => Number(clock.now() / 1_000_000n),
      },
    })
  }

  async enqueue(...texts: readonly string[]): Promise<void> {
    const messages = texts.map((text) => ({
      orgId: this.orgId,
      ruleId: 'r',
      endpointId: this.endpointId,
      orderKey: text,
      body: messageText(this.#message(text)),
    }))
    await this.catalogs[0].inTransaction(({ alertStates }) => alertStates.enqueue(messages))
  }

  #message(text: string): AlertMessage {
    const time = this.clock.now()
    return {
      rule: { id: 'r', name: 'tell' },
      endpoint: { id: this.endpointId, name: 'e' },
      time,
      statuses: [
        { time, level: 'crit', tags: { _check_id: 'c', host: text }, fields: { _message: text } },
      ],
      level: 'crit',
      isResolved: false,
      key: text,
      texts: { text, content: text },
    }
  }

  get received(): string[] {
    return this.receiver.requests.map(({ body }) => body)
  }

  async waiting(): Promise<number> {
    return this.catalogs[0].alertStates.waitingCount(this.orgId)
  }
}

it('delivers each message once, whichever of two processes comes first', async () => {
  const place = await Place.open()
  const texts = Array.from({ length: 60 }, (_, i) => `m${i}`)
  await place.enqueue(...texts)
  const outboxes = [place.outbox(0), place.outbox(1)]
  for (const outbox of outboxes) await outbox.start()
  await vi.waitFor(async () => expect(await place.waiting()).toBe(0), { timeout: 20_000 })
  for (const outbox of outboxes) await outbox.stop()
  expect([...place.received].sort()).toEqual([...texts].sort())
  const sent = outboxes.map(({ figures }) => figures.sent)
  expect(sent[0] + sent[1]).toBe(60)
  expect(Math.min(...sent)).toBeGreaterThan(0)
})

it('takes over a message when the lease of its process is over, and not before', async () => {
  const place = await Place.open()
  // The receiver hangs for the first process, which is not heard of any more.
  const held: (() => void)[] = []
  place.receiver.answer = (_, response) => {
    held.push(() => response.end())
  }
  await place.enqueue('a')
  const dead = place.outbox(0)
  await dead.start()
  await vi.waitFor(() => expect(held).toHaveLength(1))
  vi.spyOn(place.catalogs[0].alertStates, 'renew').mockResolvedValue()
  place.receiver.answer = (_, response) => response.end()
  const alive = place.outbox(1)
  await alive.start()
  place.clock.advance(messageLeaseNs - 1n)
  alive.wake()
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(place.received).toEqual(['a'])
  place.clock.advance(1n)
  alive.wake()
  await vi.waitFor(() => expect(place.received).toEqual(['a', 'a']))
  await vi.waitFor(async () => expect(await place.waiting()).toBe(0))
  expect(alive.figures.sent).toBe(1)
  for (const answer of held) answer()
  await dead.stop()
  await alive.stop()
  // One point: both speak of the same delivery.
  expect(new Set(place.recorded).size).toBe(1)
})

it('keeps a message whose try takes longer than a lease lasts', async () => {
  const place = await Place.open()
  let answer = () => {}
  place.receiver.answer = (_, response) => {
    answer = () => response.end()
  }
  await place.enqueue('a')
  const slow = place.outbox(0)
  await slow.start()
  await vi.waitFor(() => expect(place.received).toEqual(['a']))
  const other = place.outbox(1)
  await other.start()
  for (let i = 0; i < 5; i++) {
    place.clock.advance(messageLeaseNs / 2n)
    const renewed = vi.spyOn(place.catalogs[0].alertStates, 'renew')
    await vi.waitFor(() => {
      slow.wake()
      expect(renewed).toHaveBeenCalled()
    })
    renewed.mockRestore()
    other.wake()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  expect(place.received).toEqual(['a'])
  answer()
  await vi.waitFor(async () => expect(await place.waiting()).toBe(0))
  expect([slow.figures.sent, other.figures.sent]).toEqual([1, 0])
  await slow.stop()
  await other.stop()
})

it('does not hear what a process says of a message that it has lost', async () => {
  const place = await Place.open()
  let fail = () => {}
  place.receiver.answer = (_, response) => {
    fail = () => {
      response.statusCode = 400
      response.end()
    }
  }
  await place.enqueue('a')
  const late = place.outbox(0)
  await late.start()
  await vi.waitFor(() => expect(place.received).toEqual(['a']))
  vi.spyOn(place.catalogs[0].alertStates, 'renew').mockResolvedValue()
  place.clock.advance(messageLeaseNs)
  let answer = () => {}
  place.receiver.answer = (_, response) => {
    answer = () => response.end()
  }
  const other = place.outbox(1)
  await other.start()
  await vi.waitFor(() => expect(place.received).toEqual(['a', 'a']))
  // The first one is refused, which would end the message as given up.
  fail()
  await late.stop()
  expect(await place.waiting()).toBe(1)
  expect(late.figures).toEqual({ sent: 0, retried: 0, failed: 0 })
  answer()
  await vi.waitFor(async () => expect(await place.waiting()).toBe(0))
  await other.stop()
  expect(place.recorded).toHaveLength(1)
  expect(place.recorded[0]).toContain('_sent=true')
})

it('gives back what it had when it stops', async () => {
  const place = await Place.open()
  place.receiver.answer = (_, response) => {
    response.statusCode = 503
    response.end()
  }
  await place.enqueue('a')
  const one = place.outbox(0, [1_000_000])
  await one.start()
  await vi.waitFor(() => expect(one.figures.retried).toBe(1))
  await one.stop()
  place.receiver.answer = (_, response) => response.end()
  place.clock.advance(1_000_000_000_000n)
  const two = place.outbox(1)
  await two.start()
  await vi.waitFor(async () => expect(await place.waiting()).toBe(0))
  expect(two.figures.sent).toBe(1)
  await two.stop()
})

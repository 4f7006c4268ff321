// The journey of an alert: an endpoint, a check with its thresholds, a rule; a message that arrives, a status that is
// seen, a silence. In a real browser against the real program, with a receiver that is one.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  chromiumPath,
  expectAccessible,
  expectNoSidewaysScroll,
  isBuilt,
  picture,
} from './browser.js'
import { type SignedIn, startSignedIn } from './signed-in.js'

const isPossible = chromiumPath !== undefined && isBuilt

describe.skipIf(!isPossible)('the pages of alerts', () => {
  let ui: SignedIn
  let receiver: Server
  const received: string[] = []

  beforeAll(async () => {
    ui = await startSignedIn(['--flux-private-hosts'])
    receiver = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        received.push(body)
        response.end()
      })
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  }, 60_000)

  afterAll(async () => {
    await ui?.close()
    receiver?.close()
  })
  afterEach(() => ui.watch.expectNothing())

  it('makes an endpoint and sends a message to it', async () => {
    const { page, watch } = ui
    await page.getByRole('navigation').getByRole('link', { name: 'Alerts' }).click()
    await page.getByText('Nothing is watched yet').waitFor()
    await picture(page, 'alerts-empty')
    await expectAccessible(page)
    await page.getByRole('tab', { name: 'Endpoints' }).click()
    await page.getByRole('button', { name: 'New endpoint' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').first().fill('hook')
    watch.allow(400)
    await dialog.getByRole('button', { name: 'Make it' }).click()
    await dialog.getByText('http endpoint URL is empty').waitFor()
    const { port } = receiver.address() as AddressInfo
    await dialog.getByLabel('Address').fill(`http://127.0.0.1:${port}/`)
    await picture(page, 'alerts-endpoint')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Make it' }).click()
    await page.getByRole('button', { name: 'Send a test to hook' }).click()
    await page.getByText('hook took a message').waitFor()
    expect(received).toHaveLength(1)
    await picture(page, 'alerts-endpoints')
    await expectAccessible(page)
  })

  it('makes a check from what is there, with its thresholds on the chart', async () => {
    const { page } = ui
    await page.getByRole('tab', { name: 'Checks' }).click()
    await page.getByRole('button', { name: 'New check' }).click()
    await page.getByLabel('Name').fill('too warm')
    await page.getByLabel('Every').fill('1s')
    await choose('Bucket', 'sensors')
    await choose('Measurement', 'room')
    await choose('Field', 'temperature')
    await choose('of an interval the', 'max')
    await page.getByRole('img', { name: /^4 series/ }).waitFor()
    await page.getByLabel('Value of level 1').fill('35')
    await page.getByRole('button', { name: 'Another level' }).click()
    await page.getByLabel('Value of level 2').fill('23')
    await page.getByRole('img', { name: /^4 series/ }).waitFor()
    await dragHighestLine(page, 40)
    await vi.waitFor(async () => {
      const dragged = Number(await page.getByLabel('Value of level 1').inputValue())
      expect(dragged).toBeGreaterThan(23)
      expect(dragged).toBeLessThan(35)
    }, 10_000)
    await page.getByLabel('Value of level 1').fill('35')
    await picture(page, 'alerts-check')
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    await page.getByRole('button', { name: 'Make it' }).click()
    await page.getByRole('heading', { name: 'too warm' }).waitFor()
    const { checks } = (await ui.api(`checks?orgID=${ui.orgId}`)) as { checks: object[] }
    expect(checks).toMatchObject([
      {
        name: 'too warm',
        every: '1s',
        thresholds: [
          { level: 'CRIT', type: 'greater', value: 35 },
          { level: 'WARN', type: 'greater', value: 23 },
        ],
      },
    ])
  })

  it('makes a rule, and the message of a status arrives', async () => {
    const { page } = ui
    await page.getByRole('link', { name: 'All checks' }).click()
    await page.getByRole('tab', { name: 'Rules' }).click()
    await page.getByRole('button', { name: 'New rule' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('tell us')
    await dialog.getByLabel('Looks every').fill('1s')
    await expectAccessible(page)
    await picture(page, 'alerts-rule')
    await dialog.getByRole('button', { name: 'Make it' }).click()
    await page.getByText('changes → CRIT').waitFor()
    await picture(page, 'alerts-rules')
    await expectAccessible(page)
    const before = received.length
    for (let i = 0; i < 20 && received.length === before; i++) {
      await ui.write('room,room=attic temperature=40.5')
      await new Promise((resolve) => setTimeout(resolve, 1000))
    }
    expect(received.slice(before).join('\n')).toContain('too warm')
  }, 60_000)

  it('shows what is the matter now and what was, and what was told', async () => {
    const { page } = ui
    await ui.write('room,room=attic temperature=40.5\nroom,room=bath temperature=24')
    await page.getByRole('tab', { name: 'Now' }).click()
    await page
      .getByRole('row')
      .filter({ hasText: 'room=attic' })
      .getByText('too warm')
      .first()
      .waitFor()
    // The check runs every second, and only what was written in that second gets a status.
    await page.getByText(/^\d+ series not heard of for 1\.5 s$/).waitFor()
    await picture(page, 'alerts-now')
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByRole('row').filter({ hasText: 'CRIT' }).first().waitFor()
    await picture(page, 'alerts-history')
    await expectAccessible(page)
    await page.getByText('Messages', { exact: true }).click()
    await page.getByRole('row').filter({ hasText: 'tell us' }).first().waitFor()
    await picture(page, 'alerts-messages')
    await expectAccessible(page)
  })

  it('tells what a check would have said in the last hour', async () => {
    const { page } = ui
    await page.getByRole('tab', { name: 'Checks' }).click()
    const query =
      'from(bucket: "sensors") |> range(start: v.timeRangeStart) ' +
      '|> filter(fn: (r) => r._measurement == "room" and r._field == "temperature")'
    const check = (await ui.api('checks', {
      orgID: ui.orgId,
      name: 'by the minute',
      type: 'threshold',
      every: '5m',
      query: { text: query },
      thresholds: [{ type: 'greater', level: 'WARN', value: 19 }],
    })) as { id: string }
    await page.goto(`${ui.program.url}/alerts/checks/${check.id}`)
    // By the keyboard: the chart above comes meanwhile and moves the button away from under a mouse.
    await page.getByRole('button', { name: 'Try' }).press('Enter')
    await page.getByText(/^1[123] runs:/).waitFor()
    await page.getByRole('row').filter({ hasText: 'room=kitchen' }).first().waitFor()
    await picture(page, 'alerts-trial')
    await expectAccessible(page)
  })

  it('silences a series and lifts the silence', async () => {
    const { page } = ui
    await page.getByRole('link', { name: 'All checks' }).click()
    await page.getByRole('row').filter({ hasText: 'too warm' }).waitFor()
    await picture(page, 'alerts-checks')
    await page.getByRole('tab', { name: 'Silences' }).click()
    await page.getByRole('button', { name: 'New silence' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Tag').fill('room')
    await dialog.getByLabel('Value').fill('attic')
    await dialog.getByLabel('Why').fill('the heating is being mended')
    await picture(page, 'alerts-silence')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Silence it' }).click()
    await page.getByText('room=attic').waitFor()
    await picture(page, 'alerts-silences')
    await expectAccessible(page)
    await page.getByRole('button', { name: /^End the heating/ }).click()
    await page.getByRole('button', { name: /^End the heating.*sure/ }).click()
    await page.getByText('No silence', { exact: true }).waitFor()
  })

  async function choose(label: string, option: string): Promise<void> {
    await ui.page.getByRole('combobox', { name: label, exact: true }).click()
    await ui.page.getByRole('option', { name: option, exact: true }).click()
  }
})

/** From the top of the chart to the first line that can be taken, and down with it. */
async function dragHighestLine(page: Page, pixels: number): Promise<void> {
  const over = page.locator('.check-chart .u-over')
  const pointer = "document.querySelector('.check-chart .u-over').style.cursor"
  const box = (await over.boundingBox())!
  const x = box.x + box.width / 2
  let y = box.y
  for (; y < box.y + box.height; y += 4) {
    await page.mouse.move(x, y)
    if ((await page.evaluate(pointer)) === 'ns-resize') break
  }
  await page.mouse.down()
  await page.mouse.move(x, y + pixels)
  await page.mouse.up()
}

// Alerts: what is the matter now, what was, and the definitions that decide it. Each list has a path of its
// own; a check is changed on a page, the others in a dialog.

import { Tabs } from '@mantine/core'
import { useLocation, useParams } from 'wouter'
import { Page } from '../parts/page.js'
import { ChecksTab } from './checks-tab.js'
import { EndpointsTab } from './endpoints-tab.js'
import { HistoryTab } from './history-tab.js'
import { NowTab } from './now-tab.js'
import { RulesTab } from './rules-tab.js'
import { SilencesTab } from './silences-tab.js'

const tabs = [
  ['now', 'Now', NowTab],
  ['history', 'History', HistoryTab],
  ['checks', 'Checks', ChecksTab],
  ['rules', 'Rules', RulesTab],
  ['endpoints', 'Endpoints', EndpointsTab],
  ['silences', 'Silences', SilencesTab],
] as const

export function AlertsPage() {
  const { tab } = useParams<{ tab?: string }>()
  const [, go] = useLocation()
  const [chosen] = tabs.find(([path]) => path === tab) ?? tabs[0]
  return (
    <Page title="Alerts">
      <Tabs value={chosen} onChange={(value) => go(`/alerts/${value}`)} keepMounted={false}>
        <Tabs.List>
          {tabs.map(([path, name]) => (
            <Tabs.Tab key={path} value={path}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(([path, , Content]) => (
          <Tabs.Panel key={path} value={path} pt="md">
            <Content />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  )
}

// Settings: one's own, and what an organization keeps beside its data. One list
// for each kind, at a path of its own.

import { Tabs } from '@mantine/core'
import { useLocation, useParams } from 'wouter'
import { Page } from '../parts/page.js'
import { DatabasesTab } from './databases-tab.js'
import { LabelsTab } from './labels-tab.js'
import { ProfileTab } from './profile-tab.js'
import { ScriptsTab } from './scripts-tab.js'
import { SecretsTab } from './secrets-tab.js'
import { TelegrafsTab } from './telegrafs-tab.js'
import { TemplatesTab } from './templates-tab.js'
import { VariablesTab } from './variables-tab.js'

const tabs = [
  ['profile', 'Profile', ProfileTab],
  ['variables', 'Variables', VariablesTab],
  ['labels', 'Labels', LabelsTab],
  ['secrets', 'Secrets', SecretsTab],
  ['templates', 'Templates', TemplatesTab],
  ['scripts', 'Scripts', ScriptsTab],
  ['databases', 'Databases', DatabasesTab],
  ['telegraf', 'Telegraf', TelegrafsTab],
] as const

export function SettingsPage() {
  const { tab } = useParams<{ tab?: string }>()
  const [, go] = useLocation()
  const [chosen] = tabs.find(([path]) => path === tab) ?? tabs[0]
  return (
    <Page title="Settings">
      <Tabs value={chosen} onChange={(value) => go(`/settings/${value}`)} keepMounted={false}>
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

// Who and what gets in: API tokens, the members of the organization, and, for those who manage the installation, all
// users and organizations. Each list has a path of its own.

import { Tabs } from '@mantine/core'
import { useLocation, useParams } from 'wouter'
import { Page } from '../parts/page.js'
import { MembersTab } from './members-tab.js'
import { OrganizationsTab } from './organizations-tab.js'
import { TokensTab } from './tokens-tab.js'
import { UsersTab } from './users-tab.js'

const tabs = [
  ['tokens', 'Tokens', TokensTab],
  ['members', 'Members', MembersTab],
  ['users', 'Users', UsersTab],
  ['organizations', 'Organizations', OrganizationsTab],
] as const

export function AccessPage() {
  const { tab } = useParams<{ tab?: string }>()
  const [, go] = useLocation()
  const [chosen] = tabs.find(([path]) => path === tab) ?? tabs[0]
  return (
    <Page title="Access">
      <Tabs value={chosen} onChange={(value) => go(`/access/${value}`)} keepMounted={false}>
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

// The frame around every page: navigation at the left (icons where it is narrow, a drawer on phones), the
// organization, theme and user at the top, shortcuts for all of it.

import {
  ActionIcon,
  Drawer,
  Menu,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { chooseOrganization, signOut, situationQuery, useOrganizations } from '../api/accounts.js'
import { isCluster } from '../api/variant.js'
import { useMade } from '../parts/dialog.js'
import { DropDown } from '../parts/drop-down.js'
import { Icon, Logo } from '../parts/icons.js'
import { Link } from '../parts/link.js'
import { failed } from '../parts/toasts.js'
import { CommandPalette } from './command-palette.js'
import { useHere } from './here.js'
import { KeyHelp } from './key-help.js'
import { OfflineBanner } from './offline-banner.js'
import { PageBoundary } from './page-boundary.js'
import { places } from './places.js'
import { useShortcuts } from './shortcuts.js'

export function Shell({ children }: { readonly children: ReactNode }) {
  const [isMenuOpen, setMenuOpen] = useState(false)
  const isMenuMade = useMade(isMenuOpen)
  const [isPaletteOpen, setPaletteOpen] = useState(false)
  const [isHelpOpen, setHelpOpen] = useState(false)
  const [location, go] = useLocation()
  useShortcuts({
    go,
    openPalette: () => setPaletteOpen(true),
    openHelp: () => setHelpOpen(true),
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes when the page changes
  useEffect(() => setMenuOpen(false), [location])
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <header className="top">
        <ActionIcon
          className="only-phone"
          variant="subtle"
          color="gray"
          aria-label="Menu"
          onClick={() => setMenuOpen(true)}
        >
          <Icon name="menu" size={18} />
        </ActionIcon>
        <Link href="/" className="brand" aria-label="Millrace, start">
          <Logo /> <span className="not-phone">Millrace</span>
        </Link>
        <OrganizationMenu />
        <span className="grow" />
        <button type="button" className="find-button" onClick={() => setPaletteOpen(true)}>
          <Icon name="search" size={14} /> <span className="not-phone">Go to…</span>{' '}
          <kbd className="not-phone">Ctrl K</kbd>
        </button>
        <ThemeButton />
        <UserMenu onHelp={() => setHelpOpen(true)} />
      </header>
      <nav className="side not-phone" aria-label="Pages">
        <PlaceLinks location={location} />
      </nav>
      {(isMenuOpen || isMenuMade) && (
        <Drawer
          opened={isMenuOpen && isMenuMade}
          onClose={() => setMenuOpen(false)}
          title="Millrace"
          size={240}
        >
          <nav aria-label="Pages" className="side-phone">
            <PlaceLinks location={location} />
          </nav>
        </Drawer>
      )}
      <main id="main" className="main" tabIndex={-1}>
        <OfflineBanner />
        <PageBoundary place={location}>{children}</PageBoundary>
      </main>
      <CommandPalette isOpen={isPaletteOpen} onClose={() => setPaletteOpen(false)} />
      <KeyHelp isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </div>
  )
}

function PlaceLinks({ location }: { readonly location: string }) {
  return (
    <ul className="places">
      {places().map(({ path, name, icon }) => {
        const isHere = location === path || location.startsWith(`${path}/`)
        return (
          <li key={path}>
            <Link href={path} title={name} aria-current={isHere ? 'page' : undefined}>
              <Icon name={icon} size={18} /> <span className="place-name">{name}</span>
            </Link>
          </li>
        )
      })}
    </ul>
  )
}

function OrganizationMenu() {
  return isCluster() ? <span className="org">cluster</span> : <Organizations />
}

function Organizations() {
  const { me, org } = useHere()
  const client = useQueryClient()
  // The list of organizations may know of a new one.
  const { data: all = me.orgs ?? [org] } = useOrganizations(false)
  if (all.length < 2) return <span className="org">{org.name}</span>
  const choose = (id: string) => {
    chooseOrganization(id)
    void client.resetQueries()
  }
  return (
    <DropDown
      button={
        <button type="button" className="org org-button">
          {org.name} <Icon name="down" size={12} />
        </button>
      }
    >
      {all.map(({ id, name }) => (
        <Menu.Item key={id} onClick={() => choose(id)}>
          {name}
        </Menu.Item>
      ))}
    </DropDown>
  )
}

function ThemeButton() {
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme('light')
  const other = scheme === 'dark' ? 'light' : 'dark'
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={`Change to the ${other} theme`}
      title={`Change to the ${other} theme`}
      onClick={() => setColorScheme(other)}
    >
      <Icon name={scheme === 'dark' ? 'sun' : 'moon'} />
    </ActionIcon>
  )
}

function UserMenu({ onHelp }: { readonly onHelp: () => void }) {
  const { me } = useHere()
  const client = useQueryClient()
  const leave = async () => {
    try {
      await signOut()
      await client.resetQueries({ queryKey: situationQuery.queryKey })
    } catch (error) {
      failed(error, 'Signing out')
    }
  }
  return (
    <DropDown
      position="bottom-end"
      button={
        <ActionIcon variant="subtle" color="gray" aria-label={`User ${me.name}`}>
          <Icon name="user" />
        </ActionIcon>
      }
    >
      <Menu.Label>{me.name}</Menu.Label>
      <Menu.Item onClick={onHelp}>Keys</Menu.Item>
      <Menu.Item onClick={leave}>Sign out</Menu.Item>
    </DropDown>
  )
}

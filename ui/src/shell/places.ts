// The pages that can be gone to: their paths, names, icons and keys.
// Navigation, palette and shortcuts read this.

import { isCluster } from '../api/variant.js'
import type { IconName } from '../parts/icons.js'

export interface Place {
  readonly path: string
  readonly name: string
  readonly icon: IconName
  /** After `g`. */
  readonly key: string
}

const managed: readonly Place[] = [
  { path: '/explore', name: 'Explore', icon: 'explore', key: 'e' },
  { path: '/dashboards', name: 'Dashboards', icon: 'dashboards', key: 'd' },
  { path: '/alerts', name: 'Alerts', icon: 'alerts', key: 'a' },
  { path: '/tasks', name: 'Tasks', icon: 'tasks', key: 't' },
  { path: '/data', name: 'Data', icon: 'data', key: 'b' },
  { path: '/access', name: 'Access', icon: 'access', key: 'k' },
  { path: '/settings', name: 'Settings', icon: 'settings', key: ',' },
  { path: '/status', name: 'Status', icon: 'status', key: 's' },
]

const cluster: readonly Place[] = [
  { path: '/explore', name: 'Explore', icon: 'explore', key: 'e' },
  { path: '/databases', name: 'Databases', icon: 'data', key: 'b' },
  { path: '/tokens', name: 'Tokens', icon: 'access', key: 'k' },
  { path: '/status', name: 'Status', icon: 'status', key: 's' },
]

export function places(): readonly Place[] {
  return isCluster() ? cluster : managed
}

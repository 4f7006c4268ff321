// The page itself: providers, and which page stands at which path.
// Pages are loaded when they are first gone to.

import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Redirect, Route, Router, Switch } from 'wouter'
import { takeBegun } from './api/begun.js'
import type { ApiError } from './api/http.js'
import { isCluster } from './api/variant.js'
import { ClusterFrame } from './cluster-frame.js'
import { ExploreFrame } from './explore/explore-frame.js'
import { later } from './parts/later.js'
import { PageFrame } from './parts/loaded-page.js'
import { ToastArea } from './parts/toasts.js'
import { NotFound } from './shell/not-found.js'
import { SessionGate } from './shell/session-gate.js'
import { Shell } from './shell/shell.js'
import { TemplateDrop } from './shell/template-drop.js'
import { theme } from './shell/theme.js'

// What stands for a page until its code is there: its frame with its heading.
const SetupPage = later(async () => (await import('./setup/setup-page.js')).SetupPage)
const ExplorePage = later(
  async () => (await import('./explore/explore-page.js')).ExplorePage,
  <ExploreFrame />,
)
const DashboardsPage = later(
  async () => (await import('./dashboards/dashboards-page.js')).DashboardsPage,
  <PageFrame title="Dashboards" />,
)
const DashboardPage = later(
  async () => (await import('./dashboards/dashboard-page.js')).DashboardPage,
  <PageFrame title="Dashboard" isWide />,
)
const DataPage = later(
  async () => (await import('./data/data-page.js')).DataPage,
  <PageFrame title="Data" />,
)
const BucketPage = later(
  async () => (await import('./data/bucket-page.js')).BucketPage,
  <PageFrame title="Bucket" />,
)
const AlertsPage = later(
  async () => (await import('./alerts/alerts-page.js')).AlertsPage,
  <PageFrame title="Alerts" />,
)
const CheckPage = later(
  async () => (await import('./alerts/check-page.js')).CheckPage,
  <PageFrame title="Check" />,
)
const TasksPage = later(
  async () => (await import('./tasks/tasks-page.js')).TasksPage,
  <PageFrame title="Tasks" />,
)
const TaskPage = later(
  async () => (await import('./tasks/task-page.js')).TaskPage,
  <PageFrame title="Task" />,
)
const NewTaskPage = later(
  async () => (await import('./tasks/task-page.js')).NewTaskPage,
  <PageFrame title="New task" />,
)
const AccessPage = later(
  async () => (await import('./access/access-page.js')).AccessPage,
  <PageFrame title="Access" />,
)
const SettingsPage = later(
  async () => (await import('./settings/settings-page.js')).SettingsPage,
  <PageFrame title="Settings" />,
)
const StatusPage = later(
  async () => (await import('./status/status-page.js')).StatusPage,
  <PageFrame title="Status" />,
)
const ClusterPages = later(
  async () => (await import('./cluster-pages.js')).ClusterPages,
  <ClusterFrame />,
)

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // The service may well be reached where the browser knows of no network: it is on this machine, perhaps.
      networkMode: 'always',
      staleTime: 10_000,
      refetchOnWindowFocus: false,
      // What the service refused it will refuse again; what it could not be asked is asked again.
      retry: (count, error) => ((error as ApiError).status ?? 0) === 0 && count < 3,
    },
  },
})

takeBegun(client)

const base = new URL(document.baseURI).pathname.replace(/\/$/, '')
const nonce = () => document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content ?? ''
// Where the kit's scroll lock looks for it.
Object.assign(globalThis, { __webpack_nonce__: nonce() })

function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={nonce}>
      <QueryClientProvider client={client}>
        <Router base={base}>
          <SessionGate setup={(onDone) => <SetupPage onDone={onDone} />}>
            <Shell>
              {isCluster() ? (
                <ClusterPages />
              ) : (
                <TemplateDrop>
                  <Pages />
                </TemplateDrop>
              )}
            </Shell>
          </SessionGate>
          <ToastArea />
        </Router>
      </QueryClientProvider>
    </MantineProvider>
  )
}

function Pages() {
  return (
    <Switch>
      <Route path="/explore" component={ExplorePage} />
      <Route path="/dashboards" component={DashboardsPage} />
      <Route path="/dashboards/:id" component={DashboardPage} />
      <Route path="/data" component={DataPage} />
      <Route path="/alerts" component={AlertsPage} />
      <Route path="/alerts/:tab" component={AlertsPage} />
      <Route path="/alerts/checks/:id" component={CheckPage} />
      <Route path="/tasks" component={TasksPage} />
      <Route path="/tasks/new" component={NewTaskPage} />
      <Route path="/tasks/:id/:tab" component={TaskPage} />
      <Route path="/access" component={AccessPage} />
      <Route path="/access/:tab" component={AccessPage} />
      <Route path="/settings" component={SettingsPage} />
      <Route path="/settings/:tab" component={SettingsPage} />
      <Route path="/status" component={StatusPage} />
      <Route path="/data/:id/:tab" component={BucketPage} />
      <Route path="/">
        <Redirect to="/explore" replace />
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
)

// The page itself: providers, and which page stands at which path.
// Pages are loaded when they are first gone to.

import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { lazy, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { Redirect, Route, Router, Switch } from 'wouter'
import { takeBegun } from './api/begun.js'
import type { ApiError } from './api/http.js'
import { isCluster } from './api/variant.js'
import { Loading } from './parts/states.js'
import { ToastArea } from './parts/toasts.js'
import { NotFound } from './shell/not-found.js'
import { SessionGate } from './shell/session-gate.js'
import { Shell } from './shell/shell.js'
import { TemplateDrop } from './shell/template-drop.js'
import { theme } from './shell/theme.js'

const SetupPage = lazy(async () => ({ default: (await import('./setup/setup-page.js')).SetupPage }))
const ExplorePage = lazy(async () => ({
  default: (await import('./explore/explore-page.js')).ExplorePage,
}))
const DataPage = lazy(async () => ({ default: (await import('./data/data-page.js')).DataPage }))
const BucketPage = lazy(async () => ({
  default: (await import('./data/bucket-page.js')).BucketPage,
}))
const AccessPage = lazy(async () => ({
  default: (await import('./access/access-page.js')).AccessPage,
}))
const TasksPage = lazy(async () => ({ default: (await import('./tasks/tasks-page.js')).TasksPage }))
const TaskPage = lazy(async () => ({ default: (await import('./tasks/task-page.js')).TaskPage }))
const NewTaskPage = lazy(async () => ({
  default: (await import('./tasks/task-page.js')).NewTaskPage,
}))
const AlertsPage = lazy(async () => ({
  default: (await import('./alerts/alerts-page.js')).AlertsPage,
}))
const CheckPage = lazy(async () => ({
  default: (await import('./alerts/check-page.js')).CheckPage,
}))
const SettingsPage = lazy(async () => ({
  default: (await import('./settings/settings-page.js')).SettingsPage,
}))
const StatusPage = lazy(async () => ({
  default: (await import('./status/status-page.js')).StatusPage,
}))

const DashboardsPage = lazy(async () => ({
  default: (await import('./dashboards/dashboards-page.js')).DashboardsPage,
}))
const DashboardPage = lazy(async () => ({
  default: (await import('./dashboards/dashboard-page.js')).DashboardPage,
}))

const ClusterPages = lazy(async () => ({
  default: (await import('./cluster-pages.js')).ClusterPages,
}))

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
          <Suspense fallback={<Loading />}>
            <SessionGate setup={(onDone) => <SetupPage onDone={onDone} />}>
              <Shell>
                <Suspense fallback={<Loading />}>
                  {isCluster() ? (
                    <ClusterPages />
                  ) : (
                    <TemplateDrop>
                      <Suspense fallback={<Loading />}>
                        <Pages />
                      </Suspense>
                    </TemplateDrop>
                  )}
                </Suspense>
              </Shell>
            </SessionGate>
          </Suspense>
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

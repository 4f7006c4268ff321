// One bucket: what lies in it, writing and importing points, deleting some, what can be changed of it. Each has a path
// of its own. Which of them the user may do the service decides again.

import { Tabs } from '@mantine/core'
import { useLocation, useParams } from 'wouter'
import { useBuckets } from '../api/buckets.js'
import { Link } from '../parts/link.js'
import { LoadedPage } from '../parts/loaded-page.js'
import { Page } from '../parts/page.js'
import { Empty } from '../parts/states.js'
import { useHere, useMay } from '../shell/here.js'
import { BucketSettings } from './bucket-settings.js'
import { DeletePoints } from './delete-points.js'
import { ImportFile } from './import-file.js'
import { LivePointList } from './live-points.js'
import { SchemaTable } from './schema-table.js'
import { WriteBox } from './write-box.js'

const tabs = ['schema', 'live', 'write', 'import', 'delete', 'settings'] as const

export function BucketPage() {
  const { id, tab } = useParams<{ id: string; tab: string }>()
  const { org } = useHere()
  const [, go] = useLocation()
  const found = useBuckets(org.id)
  const { isAllowed, lacking } = useMay('write', 'buckets')
  return (
    <LoadedPage of={found} title="Bucket" what="buckets">
      {(all) => {
        const bucket = all.find((one) => one.id === id)
        if (bucket === undefined) {
          return (
            <Page title="Data">
              <Empty
                title="There is no such bucket"
                action={<Link href="/data">All buckets</Link>}
              />
            </Page>
          )
        }
        const chosen = tabs.find((one) => one === tab) ?? 'schema'
        const explore = (
          <Link href={`/explore?b=${encodeURIComponent(bucket.name)}`}>Explore it</Link>
        )
        return (
          <Page title={bucket.name} actions={explore}>
            <Tabs
              value={chosen}
              onChange={(value) => go(`/data/${id}/${value}`)}
              keepMounted={false}
            >
              <Tabs.List>
                <Tabs.Tab value="schema">Schema</Tabs.Tab>
                <Tabs.Tab value="live">Live</Tabs.Tab>
                {tabs.slice(2).map((one) => (
                  <Tabs.Tab key={one} value={one} disabled={!isAllowed} title={lacking}>
                    {one[0].toUpperCase() + one.slice(1)}
                  </Tabs.Tab>
                ))}
              </Tabs.List>
              <Tabs.Panel value="schema" pt="md">
                <SchemaTable bucket={bucket} />
              </Tabs.Panel>
              <Tabs.Panel value="live" pt="md">
                <LivePointList bucket={bucket} />
              </Tabs.Panel>
              <Tabs.Panel value="write" pt="md">
                <WriteBox bucket={bucket} />
              </Tabs.Panel>
              <Tabs.Panel value="import" pt="md">
                <ImportFile bucket={bucket} />
              </Tabs.Panel>
              <Tabs.Panel value="delete" pt="md">
                <DeletePoints bucket={bucket} />
              </Tabs.Panel>
              <Tabs.Panel value="settings" pt="md">
                <BucketSettings bucket={bucket} />
              </Tabs.Panel>
            </Tabs>
          </Page>
        )
      }}
    </LoadedPage>
  )
}

// A path that leads nowhere: says
// so, and leads back.

import { Link } from '../parts/link.js'
import { Page } from '../parts/page.js'
import { Empty } from '../parts/states.js'

export function NotFound() {
  return (
    <Page title="Not found">
      <Empty title="There is nothing at this address" action={<Link href="/">To the start</Link>} />
    </Page>
  )
}

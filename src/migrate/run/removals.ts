// What was deleted in a source while it is moved is deleted in the target too, each delete once and in its order. That
// happens between a look at the source and the copying that follows it: points that were written again after a delete
// are of units that have changed since, and come after it.

import type { Journal } from './journal.js'
import type { MigrationPlan } from './migration-plan.js'
import { patiently } from './patience.js'
import type { MigrationTarget } from './target.js'

export async function removeWhatWent(
  { databases }: MigrationPlan,
  target: MigrationTarget,
  journal: Journal,
): Promise<void> {
  const { remove } = target
  if (remove === undefined) return
  for (const { name, policies } of databases) {
    for (const { policy } of policies) {
      const key = JSON.stringify([name, policy.name])
      for (const one of policy.deletes ?? []) {
        if (one.at <= (journal.removed.get(key) ?? 0n)) continue
        await patiently(() => remove(name, policy.name, one))
        await journal.doneRemoving(key, one.at)
      }
    }
  }
}

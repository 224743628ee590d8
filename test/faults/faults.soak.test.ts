import { afterAll, expect, test } from 'vitest'
import { FAULTS } from './fault-list.ts'
import { type Fault, rehearse } from './rehearse.ts'
import { removeRemoteStores } from './remote-stores.ts'
import { KINDS, PASSWORD } from './visit.ts'

afterAll(removeRemoteStores)

test.each(FAULTS)('viewers see only the expected outcomes of the fault $id', async (fault) => {
  const stage = await fault.prepare()
  const findings = await rehearse(stage)
  const { waitSeconds, recoverySeconds } = findings
  // For the table in src/server/README.md.
  console.log(`${fault.id}: waits ${waitSeconds.toFixed(1)} s, recovers in ${recoverySeconds.toFixed(1)} s`)
  for (const { output } of stage.copies) expect(output()).not.toContain(PASSWORD)
  expect(findings).toMatchObject({ lostSessions: [], badRetryAfter: [], statuses: stage.copies.map(() => 0) })
  expect(withoutChance(findings.sees, fault.maySee)).toEqual(fault.sees)
  expect(waitSeconds).toBeLessThanOrEqual(fault.waitSeconds)
  expect(recoverySeconds).toBeLessThanOrEqual(fault.recoverySeconds)
})

/** Leaves out the outcomes that depend on chance. */
function withoutChance(sees: Fault['sees'], maySee: Fault['sees'] = {}): Fault['sees'] {
  const certain = KINDS.map(
    (kind) => [kind, (sees[kind] ?? []).filter((seen) => !maySee[kind]?.includes(seen))] as const,
  )
  return Object.fromEntries(certain.filter(([, outcomes]) => outcomes.length > 0))
}

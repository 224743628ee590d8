import { isIP } from 'node:net'
import { ALL_ROLES, type Answer, get, page, post, redirect, refused, UNLOCKERS, type Visit } from '../door/route.ts'
import { unlock } from '../people/account-acts.ts'
import type { Section, SectionDeps } from '../section.ts'
import { createParts } from './parts.ts'
import { createStreams } from './streams.ts'
import { showWhoIsIn } from './who-is-in.ts'

const PATH = '/evening'
/** The time between two reads of the log while no manager looks. */
const FOLLOW_MS = 15_000

/** The figures of the evening: live with a script; without a script, a reload renews them. */
export const eveningSection: Section = {
  open(deps) {
    const partsOf = createParts(deps, deps.evening)
    const streams = createStreams(partsOf)
    const follow = () => void deps.evening.readLog().catch(deps.warn)
    const timer = setInterval(follow, FOLLOW_MS).unref()
    // Reads the figures for the first page.
    void deps.evening.read(null).catch(deps.warn)
    deps.onClose(() => {
      clearInterval(timer)
      streams.close()
    })
    async function show(visit: Visit): Promise<Answer> {
      return page('evening', { title: visit.words.t.evening.title, current: PATH, ...(await partsOf(visit)) })
    }
    return {
      tab: { path: PATH, text: 'evening', roles: ALL_ROLES },
      routes: [
        get(PATH, ALL_ROLES, show),
        get(`${PATH}/in`, ALL_ROLES, (visit) => showWhoIsIn(deps, visit)),
        get(`${PATH}/stream`, ALL_ROLES, streams.open),
        post(`${PATH}/unlock-address`, UNLOCKERS, 'address-unlocked', (visit) => unlockAddress(deps, visit)),
      ],
    }
  },
}

async function unlockAddress({ env }: SectionDeps, visit: Visit): Promise<Answer> {
  const address = visit.field('address')
  // The limit of an address is one for all entry points.
  if (isIP(address) === 0 || visit.scope.entryPoints !== null) {
    return redirect(PATH, { tone: 'refused', text: 'evening.notUnlocked' })
  }
  const result = await unlock(env, { address })
  const subject = { target: address }
  if (!result.ok) return refused(PATH, 'evening.notUnlocked', result, { subject })
  return redirect(PATH, { tone: 'done', text: 'evening.unlocked', values: { name: address } }, subject)
}

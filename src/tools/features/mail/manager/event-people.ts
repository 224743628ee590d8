import type { EntryPoint } from '../../../../entry-points/entry-point.ts'
import { usernameKey } from '../../../../users/viewer-fields.ts'
import type { MailRow } from '../../../cli/manager/accounts/mail-rows.ts'
import { isInGroup } from '../../../cli/report/attendance/invited/people.ts'
import { stateOf } from '../../../cli/viewers/shown-viewer.ts'
import { invitingIn } from '../../../cli/viewers/viewer-facts.ts'
import type { SectionDeps } from '../../../manager/section.ts'

/** The states of accounts that get the mails of an event. */
const INVITED = ['active', 'invited', 'invitation-expired']
const BATCH = 500
/** Of so many accounts, the list takes a fifth of a second. */
const MOST_LISTED = 10_000

export type Recipient = Pick<MailRow, 'username' | 'language'> & { readonly to: string }

/**
 * Counts the people who get the mails of an event. Of more accounts than a page can list at once, it takes the number of the
 * store, to which it adds all guests: a person with an account and a registration then counts twice.
 */
export async function countPeople(deps: SectionDeps, entryPoint: EntryPoint): Promise<number> {
  const { viewers, parts, env } = deps
  const members = { text: '', group: '', oneOf: entryPoint.allowedGroups }
  const countOf = async (state: 'active' | 'invited') => (await viewers.editable?.count({ ...members, state })) ?? 0
  const accounts = (await countOf('active')) + (await countOf('invited'))
  if (accounts > MOST_LISTED) {
    const guests = await Promise.all(parts.map((part) => part.guests?.(env, entryPoint) ?? []))
    return accounts + guests.flat().length
  }
  let count = 0
  for await (const _person of peopleOf(deps, entryPoint)) count += 1
  return count
}

/** Lists the people who get the mails of an event: those with a password or an invitation, and guests. */
export async function* peopleOf(deps: SectionDeps, entryPoint: EntryPoint, wanted?: string): AsyncGenerator<Recipient> {
  const { env, parts, viewerFacts } = deps
  const { editable } = deps.viewers
  const { allowedGroups, brand } = entryPoint
  const addressOf = invitingIn(viewerFacts)?.addressesIn(env)
  const addresses = new Set<string>()
  const one = wanted === undefined ? undefined : await editable?.inspect(wanted)
  if (one?.viewer.disabled) return
  for await (const known of wanted === undefined ? accountsIn(editable, allowedGroups) : [one]) {
    if (!known || !isInGroup(known.viewer, allowedGroups ?? [])) continue
    // A blocked person gets no mail as a guest either.
    if (known.viewer.disabled) addresses.add(usernameKey(known.viewer.username))
    const to = INVITED.includes(stateOf(known, deps.nowSeconds(), viewerFacts)) ? addressOf?.(known.viewer) : null
    if (!to) continue
    addresses.add(usernameKey(to))
    yield { username: known.viewer.username, to, language: brand.defaultLanguage }
  }
  for (const part of parts)
    for (const guest of (await part.guests?.(env, entryPoint, wanted)) ?? [])
      if (!addresses.has(usernameKey(guest.username))) yield { ...guest, to: guest.username }
}

async function* accountsIn(store: SectionDeps['viewers']['editable'], oneOf: EntryPoint['allowedGroups']) {
  const filter = { text: '', group: '', oneOf, state: 'all' } as const
  for (let after: string | undefined = ''; store !== null && after !== undefined; ) {
    const page = await store.page(filter, after, BATCH)
    yield* page
    after = page.length < BATCH ? undefined : usernameKey(page.at(-1)?.viewer.username ?? '')
  }
}

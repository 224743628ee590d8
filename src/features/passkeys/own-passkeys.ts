import type { Language } from '../../languages/languages.ts'
import type { Notice } from '../../services/account-changes/service.ts'
import { digestOf } from '../../services/window/random-text.ts'
import type { Viewer } from '../../users/user-store.ts'
import type { Passkeys } from './passkeys.ts'

/** A passkey in a form, with a box to tick. */
export type OwnPasskey = Awaited<ReturnType<typeof ownPasskeys>>[number]

type Form = Readonly<Record<string, unknown>>

/** Returns the passkeys of a viewer for a form, the oldest first. @param form of a refused post, or empty. */
export async function ownPasskeys(
  { store }: Pick<Passkeys, 'store'>,
  username: string,
  language: Language,
  form: Form = {},
) {
  const days = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' })
  const ticked = tickedIn(form)
  return (await store.list(username)).map(({ id, name, createdAtSeconds }) => {
    // A digest, because ten ids can be too long for a form.
    const value = digestOf(id)
    return { value, name, day: days.format(createdAtSeconds * 1000), isTicked: ticked.includes(value) }
  })
}

/** Removes the ticked passkeys, and sends a notice. Returns false if none was removed. */
export async function removeTicked(
  { store, notify }: Pick<Passkeys, 'store' | 'notify'>,
  viewer: Viewer,
  form: Form,
  notice: Omit<Notice, 'mailOf'>,
): Promise<boolean> {
  const ticked = tickedIn(form)
  let removed = 0
  for (const { id } of await store.list(viewer.username)) {
    if (ticked.includes(digestOf(id)) && (await store.remove(viewer.username, id))) removed += 1
  }
  if (removed === 0) return false
  notice.log({ outcome: 'passkey-removed', viewer: viewer.username })
  notify(viewer, { ...notice, mailOf: removedMail })
  return true
}

const removedMail: Notice['mailOf'] = ({ passkeys: { mail }, account }) => ({
  subject: mail.removedSubject,
  paragraphs: [mail.removed, account.mail.changedNotYou],
})

function tickedIn({ removePasskey = [] }: Form): readonly unknown[] {
  return Array.isArray(removePasskey) ? removePasskey : [removePasskey]
}

import type { Account } from '../../../../features/account/account.ts'
import { invitationMail, resetMail } from '../../../../features/account/links/account-mails.ts'
import type { AccountSettings } from '../../../../features/account/links/settings.ts'
import { newToken } from '../../../../features/account/links/tokens.ts'
import { createAccount } from '../../../../features/account/open-account.ts'
import { createAccountChanges } from '../../../../services/account-changes/service.ts'
import { mailServerSettingsOf } from '../../../../services/mail/settings.ts'
import type { PasswordChanges } from '../../../../users/account/password-changes.ts'
import { userStores } from '../../../../users/open-user-store.ts'
import { type FeatureScenes, type Screen, type ScreenRequest, VIEWER } from '../../../cli/preview/screen.ts'

const INVITATION = newToken()
const RESET = newToken()
const LINK = 'https://login.example/account/new-password'

/** Two links. Nothing is stored. */
const LINKS: PasswordChanges = {
  assertAllowed: () => Promise.resolve(),
  findByAttribute: () => Promise.resolve([]),
  createLink: () => Promise.resolve(null),
  findLink: (digest) => Promise.resolve(linkWith(digest)),
  setByLink: (digest) => Promise.resolve(linkWith(digest)),
  change: () => Promise.resolve(true),
}

/** The pages on which viewers set their passwords. No mail is sent. */
export const accountPreview: FeatureScenes = {
  open(services, { userStore, features }, shared) {
    if (!userStores.isOwn(userStore)) return null
    const { addressAttribute, nameAttribute } = shared as AccountSettings
    const server = mailServerSettingsOf({ features })
    const account: Account = {
      ...services,
      passwordChanges: LINKS,
      mailQueue: server && { add: () => {}, close: () => {} },
      resetLimits: {
        admit: () => Promise.resolve(null),
        admitMail: () => Promise.resolve(false),
        shares: { take: () => Promise.resolve(null), isUsedUp: () => Promise.resolve(true) },
      },
      mailAttribute: addressAttribute,
      nameAttribute,
    }
    return createAccount(account, { ...services, accountChanges: createAccountChanges() })
  },
  async screens(request) {
    const tab = (path: string, fields: Readonly<Record<string, string>> = {}) => tabAt(request, path, fields)
    const { html } = await tab('/forgot')
    const hasMail = html.includes('name="username"')
    const { token } = INVITATION
    return [
      ...(hasMail ? [...(await mailTabs(request)), ...mailsOf(request)] : []),
      { name: 'new password after an invitation', ...(await tab('/new-password', { token })) },
      { name: 'new password', ...(await tab('/new-password', { token: RESET.token })) },
      { name: 'a link that is over', ...(await tab('/new-password', { token: newToken().token })) },
    ]
  },
}

/** Builds the mails with a link. They lead nowhere. */
function mailsOf({ entryPoint: { brand }, language }: ScreenRequest): Screen[] {
  const service = brand.name ?? 'login.example'
  const frame = { to: VIEWER, name: VIEWER, username: VIEWER, service, language, brand, watchUrl: null, request: null }
  return [
    { name: 'mail with a link for a new password', html: resetMail(frame, LINK, 30).html, isTab: true },
    { name: 'mail with an invitation', html: invitationMail(frame, LINK, 7).html, isTab: true },
  ]
}

async function mailTabs(request: ScreenRequest): Promise<Screen[]> {
  const { app, language } = request
  const fields = { username: VIEWER, lang: language }
  const sent = await app.post('/account/forgot', { fields })
  return [
    { name: 'forgot password', ...(await tabAt(request, '/forgot')) },
    { name: 'link is sent', html: sent.html, isTab: true },
    { name: 'change password', ...(await tabAt(request, '/change-password')) },
  ]
}

async function tabAt({ app, language }: ScreenRequest, path: string, fields: Readonly<Record<string, string>> = {}) {
  const { html } = await app.get(`/account${path}`, { fields: { ...fields, lang: language } })
  return { html, isTab: true }
}

function linkWith(digest: string) {
  const viewer = { username: VIEWER, groups: [], attributes: {} }
  if (digest === INVITATION.digest) return { purpose: 'invitation', viewer } as const
  return digest === RESET.digest ? ({ purpose: 'reset', viewer } as const) : null
}

import { createHmac } from 'node:crypto'
import { CreationAnswer, SignInAnswer } from '../../../../features/passkeys/web-authn/answers.ts'
import { checkCreation, checkSignIn } from '../../../../features/passkeys/web-authn/check-answers.ts'
import { creationOptions, namedPasskey, TIMEOUT_MS } from '../../../../features/passkeys/web-authn/options.ts'
import { assetNamed } from '../../../../login/screens/assets.ts'
import { cleanText } from '../../../../typed-text.ts'
import { usernameKey } from '../../../../users/viewer-fields.ts'
import { ALL_ROLES, type Answer, post, redirect, type Visit } from '../../../manager/door/route.ts'
import type { PagePart, SectionDeps } from '../../../manager/section.ts'
import { createOwnCodeCheck } from '../../../manager/sign-in/check-manager.ts'
import type { OtherStep } from '../../../manager/sign-in/other-step.ts'
import { passkeysIn } from './passkey-rows.ts'

const ACCOUNT = '/account'
const LONGEST_NAME = 60
const SCRIPT = assetNamed('passkeys.js')

/** Passkeys of managers, as a second step beside the code of an authenticator app. */
export const passkeysPart: PagePart = { assets: [SCRIPT], section: { open: openPasskeys } }

const refuse = (text: string, detail?: string) =>
  redirect(ACCOUNT, { tone: 'refused', text }, detail === undefined ? {} : { detail })

function openPasskeys(deps: SectionDeps) {
  const { brand, nowSeconds, renderPart, settings } = deps
  const { url, secret } = settings
  const rows = passkeysIn(deps.store)
  const checkOwnCode = createOwnCodeCheck(deps)
  const relyingParty = { id: url.hostname, origin: url.origin, isSecondStep: true }
  /** The id of a manager for authenticators, which does not contain the name (WebAuthn Level 3, 14.6.1). */
  const handleOf = (key: string) => createHmac('sha256', secret).update(`manager passkeys ${key}`).digest('base64url')

  const step: OtherStep = {
    name: 'passkey',
    wrong: 'passkeys.wrong',
    offer({ id, manager: { key }, formToken }, words) {
      const known = rows.list(key)
      if (known.length === 0) return ''
      const publicKey = {
        challenge: rows.challenge(id),
        rpId: relyingParty.id,
        allowCredentials: known.map(namedPasskey),
        userVerification: 'discouraged',
        timeout: TIMEOUT_MS,
      }
      return renderPart({ words, formToken }, 'passkeys/offer', { publicKey, script: SCRIPT.address })
    },
    async findFault({ id, manager: { key } }, field) {
      const challenge = field('challenge')
      if (!rows.takeChallenge(id, challenge)) return 'wrong-challenge'
      const answer = SignInAnswer.safeParse(fieldsOf(SignInAnswer, field))
      const passkey = rows.list(key).find((one) => one.id === answer.data?.id)
      if (!answer.success || passkey === undefined) return 'unknown-passkey'
      const stored = { passkey, userHandle: handleOf(key) }
      const checked = await checkSignIn(answer.data, challenge, relyingParty, stored)
      if (!checked.ok) return checked.fault
      return rows.use(passkey.id, checked, nowSeconds()) ? null : 'counter-went-back'
    },
    own(visit) {
      const { name: username } = visit.manager
      const key = usernameKey(username)
      const known = rows.list(key)
      const creation = { challenge: rows.challenge(visit.sessionId), username, userHandle: handleOf(key), known }
      const publicKey = creationOptions(relyingParty, brand.name ?? url.hostname, creation)
      return renderPart(visit, 'passkeys/own', { known, publicKey, script: SCRIPT.address, longest: LONGEST_NAME })
    },
  }
  async function add(visit: Visit): Promise<Answer> {
    const { field, sessionId, manager } = visit
    const name = cleanText(field('label'))
    const challenge = field('challenge')
    if (name === '' || name.length > LONGEST_NAME) return refuse('passkeys.noLabel')
    if (!rows.takeChallenge(sessionId, challenge)) return refuse('signIn.stale')
    const answer = CreationAnswer.safeParse(fieldsOf(CreationAnswer, field))
    if (!answer.success) return refuse('passkeys.notAdded', 'unreadable')
    const checked = await checkCreation(answer.data, challenge, relyingParty)
    if (!checked.ok) return refuse('passkeys.notAdded', checked.fault)
    const text = await checkOwnCode(visit)
    if (text !== null) return refuse(text)
    const passkey = { ...checked.passkey, name, createdAtSeconds: nowSeconds() }
    const added = rows.add(usernameKey(manager.name), passkey)
    if (added !== 'added') return refuse(`passkeys.${added}`)
    return redirect(ACCOUNT, { tone: 'done', text: 'passkeys.added', values: { name } }, { target: name })
  }
  async function remove(visit: Visit): Promise<Answer> {
    const key = usernameKey(visit.manager.name)
    const passkey = rows.list(key).find(({ id }) => id === visit.field('passkey'))
    if (passkey === undefined) return refuse('passkeys.gone')
    const text = await checkOwnCode(visit)
    if (text !== null) return refuse(text)
    rows.remove(key, passkey.id, visit.sessionId)
    const { name } = passkey
    return redirect(ACCOUNT, { tone: 'done', text: 'passkeys.removed', values: { name } }, { target: name })
  }
  return {
    step,
    routes: [
      post(`${ACCOUNT}/passkeys/add`, ALL_ROLES, 'passkey-added', add),
      post(`${ACCOUNT}/passkeys/remove`, ALL_ROLES, 'passkey-removed', remove),
    ],
  }
}

/** Returns the fields of a form that an answer has. */
function fieldsOf({ shape }: { readonly shape: object }, field: (name: string) => string) {
  return Object.fromEntries(Object.keys(shape).map((name) => [name, field(name)]))
}

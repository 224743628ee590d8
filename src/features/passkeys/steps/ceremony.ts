import type { Request, Response } from 'express'
import type { Refusal } from '../../../login/screens/screens.ts'
import { digestOf, hasDigest, randomText } from '../../../services/window/random-text.ts'
import { networkOf } from '../../../sign-in-limits/keys.ts'
import { CEREMONY, type OpenCeremony } from '../flow-kinds.ts'
import type { PasskeyRouteDeps } from '../route-deps.ts'
import type { SignInPage } from '../window-pages.ts'

type CeremonyDeps = Pick<PasskeyRouteDeps, 'passkeys' | 'cookies' | 'entryPoint' | 'addressOf' | 'logSignIn' | 'pages'>

/**
 * Creates a challenge of 256 bits, which works once, within 120 seconds, in this window alone.
 * @returns the challenge; null if a limit is reached, and the request answered.
 */
export async function openCeremony(
  { passkeys, cookies, entryPoint, addressOf, logSignIn, pages }: CeremonyDeps,
  req: Request,
  res: Response,
  { flow, ...creation }: Pick<OpenCeremony, 'flow' | 'creator' | 'passwordVersion'>,
): Promise<string | null> {
  const network = networkOf(addressOf(req))
  const retryAfterSeconds = await passkeys.startLimits.count(network)
  if (retryAfterSeconds !== null) {
    logSignIn(req, { outcome: 'held-back', limit: 'sso-starts' })
    pages.refuse(req, res, { status: 429, text: 'window.tooMany', retryAfterSeconds })
    return null
  }
  const challenge = randomText()
  const browserKey = randomText()
  const ceremony = { entryPoint: entryPoint.name, flow, browserKeyDigest: digestOf(browserKey), network, ...creation }
  try {
    await passkeys.flows.put(CEREMONY, digestOf(challenge), ceremony)
  } catch (error) {
    await passkeys.startLimits.giveBack(network)
    throw error
  }
  cookies.set(req, res, digestOf(challenge), browserKey)
  return challenge
}

/** Shows the page on which a viewer signs in with a passkey, with a new challenge. */
export async function showSignIn(
  deps: CeremonyDeps,
  req: Request,
  res: Response,
  page: Omit<SignInPage, 'challenge'>,
  refusal?: Refusal,
): Promise<void> {
  const challenge = await openCeremony(deps, req, res, { flow: page.flow, creator: null })
  if (challenge !== null) deps.pages.sendSignIn(req, res, { ...page, challenge }, refusal)
}

export type TakenCeremony =
  | { readonly ok: true; readonly ceremony: OpenCeremony }
  | { readonly ok: false; readonly reason: 'expired' | 'no-cookie' }

/** Takes the ceremony of a challenge, which works only once. */
export async function takeCeremony(
  { passkeys, cookies, entryPoint }: CeremonyDeps,
  req: Request,
  res: Response,
  challenge: string,
): Promise<TakenCeremony> {
  const digest = digestOf(challenge)
  const browserKey = cookies.take(req, res, digest)
  const ceremony = await passkeys.flows.take(CEREMONY, digest)
  if (ceremony === null || ceremony.entryPoint !== entryPoint.name) return { ok: false, reason: 'expired' }
  if (!hasDigest(browserKey, ceremony.browserKeyDigest)) return { ok: false, reason: 'no-cookie' }
  return { ok: true, ceremony }
}

import { hash, randomBytes } from 'node:crypto'
import { fill, type Texts } from '../../languages/languages.ts'

/** The settings of single sign-on that the sign-in screen shows. */
export interface SsoScreen {
  /** The name of the provider. */
  readonly label: string
  /** True if there is no password form. */
  readonly isOnly: boolean
  /** True if a viewer may sign in on another device, and type a code. */
  readonly hasCode: boolean
}

/**
 * Joins the frame to its sign-in window. Only the frame knows `wait`, and collects the result with it. The window gets
 * `flow`, a digest of it.
 */
export interface Rendezvous {
  readonly wait: string
  readonly flow: string
}

/** Take the place of both halves in a cached screen. */
export const PLACEHOLDERS: Rendezvous = { wait: '\ue001', flow: '\ue002' }

/** @param wait of the screen before. Default: a new one, of 256 random bits. */
export function newRendezvous(wait = randomBytes(32).toString('base64url')): Rendezvous {
  return { wait, flow: flowOf(wait) }
}

/** Returns the public half. */
export function flowOf(wait: string): string {
  return hash('sha256', wait, 'base64url')
}

/** Puts both halves into a cached screen. */
export function withRendezvous(html: string, { wait, flow }: Rendezvous): string {
  return html.replace(PLACEHOLDERS.wait, wait).replace(PLACEHOLDERS.flow, flow)
}

/** The account that the viewer wants, or another way to sign in than the password. */
export type AccountChoice = 'other' | 'signed-out' | 'code' | 'passkey'

interface ScreenState {
  readonly account?: AccountChoice
  readonly isFormOpen?: boolean
  /** The address that viewers type on another device. */
  readonly codePage: string
  readonly refusal?: { readonly text: string }
}

/** Returns the values for `views/parts/sso.ejs`. */
export function ssoLocals(
  { label: provider, isOnly, hasCode }: SsoScreen,
  { sso: texts, errors }: Pick<Texts, 'sso' | 'errors'>,
  { account, isFormOpen = false, refusal, codePage }: ScreenState,
  rendezvous: Rendezvous,
) {
  return {
    ...rendezvous,
    signIn: fill(texts.signIn, { provider }),
    codeHint: fill(texts.codeHint, { address: codePage }),
    notice: account === 'signed-out' ? fill(texts.signedOut, { provider }) : null,
    /** True if the provider must ask which account to use. */
    mustAsk: account === 'other' || account === 'signed-out' || isFormOpen,
    hasCode,
    /** True for the screen on which the viewer types a code. */
    isCode: hasCode && account === 'code',
    hasPassword: !isOnly,
    isPasswordOpen: refusal !== undefined && refusal.text !== 'ssoNotYet' && refusal.text in errors,
  }
}

/** Returns the addresses by which a viewer changes between passkey and password. Null without passkeys. */
export function passkeyLocals(
  hasPasskeys: boolean,
  account: AccountChoice | undefined,
  addressOf: (prompt: object) => string,
  rendezvous: Rendezvous,
) {
  if (!hasPasskeys) return null
  /** True for the screen whose buttons open the window. */
  const isShown = account === 'passkey'
  return { ...rendezvous, isShown, address: addressOf({ prompt: 'passkey' }), passwordAddress: addressOf({}) }
}

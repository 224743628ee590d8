import type { Refusal } from '../../login/screens/screens.ts'
import { type TextRefusal, textRefusalOf } from '../../login/screens/text-refusal.ts'
import type { TakenCeremony } from './steps/ceremony.ts'
import type { Fault } from './web-authn/answers.ts'

const EXPIRED: TextRefusal = { status: 400, text: ({ passkeys }) => passkeys.errors.expired }
const NO_COOKIE: TextRefusal = { status: 400, text: ({ window }) => window.errors.noCookie }
const INVALID: TextRefusal = { status: 401, text: ({ passkeys }) => passkeys.errors.invalid }
const NOT_VERIFIED: TextRefusal = { status: 401, text: ({ passkeys }) => passkeys.errors.notVerified }

export function refusalOfCeremony(reason: Extract<TakenCeremony, { ok: false }>['reason']): TextRefusal {
  return reason === 'expired' ? EXPIRED : NO_COOKIE
}

export function refusalOfFault(fault: Fault): TextRefusal {
  return fault === 'user-not-verified' ? NOT_VERIFIED : INVALID
}

/** Returns a refusal of the sign-in screen as a page of the window shows it. */
export function refusalOf(refusal: Refusal): TextRefusal {
  return textRefusalOf(refusal, ({ passkeys }) => passkeys.errors.unavailable)
}

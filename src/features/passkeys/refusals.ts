import type { AccountRefusal } from '../account/pages.ts'
import type { TakenCeremony } from './ceremony.ts'
import type { Fault } from './web-authn/answers.ts'

const EXPIRED: AccountRefusal = { status: 400, text: ({ passkey }) => passkey.errors.expired }
const NO_COOKIE: AccountRefusal = { status: 400, text: ({ sso }) => sso.errors.noCookie }
const INVALID: AccountRefusal = { status: 401, text: ({ passkey }) => passkey.errors.invalid }
const NOT_VERIFIED: AccountRefusal = { status: 401, text: ({ passkey }) => passkey.errors.notVerified }

export function refusalOfCeremony(reason: Extract<TakenCeremony, { ok: false }>['reason']): AccountRefusal {
  return reason === 'expired' ? EXPIRED : NO_COOKIE
}

export function refusalOfFault(fault: Fault): AccountRefusal {
  return fault === 'user-not-verified' ? NOT_VERIFIED : INVALID
}

import type { Refusal } from '../../login/screens/screens.ts'
import type { TakenCeremony } from './steps/ceremony.ts'
import type { Fault } from './web-authn/answers.ts'

export const DISABLED: Refusal = { status: 403, text: 'disabled' }

export function refusalOfCeremony(reason: Extract<TakenCeremony, { ok: false }>['reason']): Refusal {
  return { status: 400, text: reason === 'expired' ? 'passkeys.expired' : 'window.noCookie' }
}

export function refusalOfFault(fault: Fault): Refusal {
  return { status: 401, text: fault === 'user-not-verified' ? 'passkeys.notVerified' : 'passkeys.invalid' }
}

import { GUEST_ISSUERS } from '../../services/guests/guest-origin.ts'

/** How command lines name guests with a code. */
export const accessCodeGuests = { issuer: GUEST_ISSUERS.codes, words: 'access code' }

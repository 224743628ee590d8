import { GUEST_ISSUERS } from '../../services/guests/guest-origin.ts'

/** How command lines name guests who registered. */
export const registrationGuests = { issuer: GUEST_ISSUERS.registration, words: 'registration' }

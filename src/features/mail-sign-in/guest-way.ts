import { GUEST_ISSUERS } from '../../services/guests/guest-origin.ts'

/** How command lines name guests by mail. */
export const mailGuests = { issuer: GUEST_ISSUERS.mail, words: 'mail' }

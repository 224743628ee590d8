import { MAIL_ISSUER } from '../../services/guests/guest-identity.ts'

/** How command lines name guests by mail. */
export const mailGuests = { issuer: MAIL_ISSUER, words: 'mail' }

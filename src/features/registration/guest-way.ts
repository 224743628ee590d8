/** The issuer of guests who registered. */
export const REGISTRATION_ISSUER = 'registration'

/** How command lines name guests who registered. */
export const registrationGuests = { issuer: REGISTRATION_ISSUER, words: 'registration' }

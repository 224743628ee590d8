/** The issuer of guests with access codes. */
export const CODES_ISSUER = 'codes'

/** How command lines name guests with a code. */
export const accessCodeGuests = { issuer: CODES_ISSUER, words: 'access code' }

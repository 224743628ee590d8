/** What `viewers export` leaves out, as a part of a list. */
export const passkeysNotExported = 'passkeys'

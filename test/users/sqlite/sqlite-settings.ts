/** The default store needs none. */
export const sqliteSettings = {}

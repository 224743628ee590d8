/** The forms of the registration, below the base path of an entry point. */
export const PATHS = { address: '/register', code: '/register/code', fields: '/register/fields' } as const

export const httpSettings = { USER_STORE_URL: 'https://users.example/sign-in', HTTP_STORE_TOKEN: 'x' }

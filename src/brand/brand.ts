export const COLOR_SCHEMES = ['auto', 'dark', 'light'] as const
export const USERNAME_KINDS = ['username', 'email'] as const

/** The customer's name, look and links on the screens of an entry point. */
export interface Brand {
  /** Null for screens without a name. A logo has a name too. */
  readonly name: string | null
  /** Replaces "Log in to watch": one for all languages, or one for each, else that of the default language. */
  readonly title: string | Readonly<Record<string, string>> | null
  readonly logo: Logo | null
  /** The logo on dark screens. Null if they show `logo`, on a white plate. */
  readonly darkLogo: Logo | null
  /** The colors of the primary button on light and dark screens, as #rrggbb. Null for the color of the stylesheet. */
  readonly colors: { readonly light: string; readonly dark: string } | null
  /** `auto` follows the viewer's system. */
  readonly colorScheme: (typeof COLOR_SCHEMES)[number]
  readonly helpUrl: string | null
  readonly forgotPasswordUrl: string | null
  readonly termsUrl: string | null
  /** What the screens call the name of a viewer. */
  readonly usernameKind: (typeof USERNAME_KINDS)[number]
  /** The language for viewers whose browser asks for none of ours: a file in views/languages. */
  readonly defaultLanguage: string
  /** Files of features below `/assets`. Every screen loads the style sheets among them. */
  readonly assets?: readonly { readonly address: string; readonly type: string; readonly content: Buffer }[]
}

export interface Logo {
  readonly type: 'image/svg+xml' | 'image/png'
  readonly content: Buffer
  /** In pixels, or in units of the viewBox. */
  readonly width: number
  readonly height: number
}

/** Returns a title in a language, else in the default language of the screens. Null without a title. */
export function titleIn(title: Brand['title'], language: string, { defaultLanguage }: Brand): string | null {
  if (title === null || typeof title === 'string') return title
  return title[language] ?? title[defaultLanguage] ?? Object.values(title)[0] ?? null
}

/** The screens of the kit itself. */
export const UNBRANDED: Brand = Object.freeze({
  name: null,
  title: null,
  logo: null,
  darkLogo: null,
  colors: null,
  colorScheme: 'dark',
  helpUrl: null,
  forgotPasswordUrl: null,
  termsUrl: null,
  usernameKind: 'username',
  defaultLanguage: 'en',
})

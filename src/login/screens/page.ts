import ejs from 'ejs'
import type { Brand } from '../../brand/brand.ts'
import {
  errorText,
  fill,
  type Language,
  type TextKey,
  type Texts,
  type TextValues,
  textsOf,
} from '../../languages/languages.ts'
import { type BrandAssets, brandAssetsOf } from './brand-assets.ts'

/** The data of an entry point that every template may use, in one language. */
export type Page = ReturnType<typeof createPage>

export interface PageLink {
  readonly address: string
  readonly text: string
}

type PageRefusal = { readonly text: TextKey; readonly values?: TextValues }

const LOGO_HEIGHT_PX = 40
/** A logo that is wider than this, compared with its height, contains the name. */
const WORDMARK_RATIO = 1.5
/** Refusals that the viewer can correct in the fields. */
const FAULTS_OF_FIELDS: readonly TextKey[] = ['emptyFields', 'wrongCredentials', 'unreadableText']
const NEEDS_HELP: readonly TextKey[] = ['disabled', 'expiredPassword']

/** Creates the pages of an entry point. @param icon the address of the icon for entry points without a square logo. */
export function createPages(brand: Brand, icon: string): (language: Language) => Page {
  const assets = brandAssetsOf(brand)
  return (language) => createPage(language, brand, assets, icon)
}

function createPage(language: Language, brand: Brand, assets: BrandAssets, icon: string) {
  const isWordmark = brand.logo !== null && brand.logo.width / brand.logo.height > WORDMARK_RATIO
  return {
    language,
    direction: directionOf(language),
    /** The content of the `color-scheme` meta element. */
    colorScheme: brand.colorScheme === 'auto' ? 'light dark' : brand.colorScheme,
    icon: assets.logo === null || isWordmark ? icon : assets.logo.address,
    stylesheets: [assets.stylesheet, ...assets.ofFeatures].flatMap((one) => one?.address.match(/.+css$/) ?? []),
    logo: logoImage(brand, assets, isWordmark),
    /** Shown as text, unless the logo contains it. */
    brandName: isWordmark ? null : brand.name,
    isEmail: brand.usernameKind === 'email',
    /** Each opens in a tab of its own. */
    links: linksOf(brand, language),
  }
}

/** Returns the title of the sign-in screen, and the title of its window, which always names the brand. */
export function titlesOf({ title, name, defaultLanguage }: Brand, texts: Texts, language: Language) {
  const named = name === null ? texts.title : fill(texts.titleWithBrand, { brand: name })
  const own = typeof title === 'string' ? title : (title?.[language] ?? title?.[defaultLanguage])
  return { own, title: own ?? texts.title, windowTitle: own ?? named }
}

/**
 * Returns the alert of the sign-in screen with its link, and the attributes of the fields that it belongs to. Browsers
 * obey `autofocus` only outside of frames of other sites.
 */
export function alertOf(language: Language, brand: Brand, refusal: PageRefusal | undefined, hasUsername: boolean) {
  if (refusal === undefined) return { alert: null, alertLink: null, usernameState: '', passwordState: '' }
  const texts = textsOf(language)
  const isFault = FAULTS_OF_FIELDS.includes(refusal.text)
  const isPassword = hasUsername && refusal.text !== 'unreadableText'
  const state = `${isFault ? ' aria-invalid="true"' : ''} aria-describedby="alert"`
  const { helpUrl, forgotPasswordUrl, usernameKind } = brand
  const isExpired = refusal.text === 'expiredPassword' && forgotPasswordUrl !== null
  const alertLink = isExpired
    ? { address: inLanguage(forgotPasswordUrl, language), text: texts.changePassword }
    : helpUrl !== null && NEEDS_HELP.includes(refusal.text)
      ? { address: helpUrl, text: texts.help }
      : null
  return {
    alert: errorText(language, isExpired ? 'expiredPasswordWithLink' : refusal.text, refusal.values, usernameKind),
    alertLink,
    usernameState: isFault && !isPassword ? `${state} autofocus` : state,
    passwordState: isFault && isPassword ? `${state} autofocus` : state,
  }
}

/** Returns the reason of a refusal for programs, such as `wrong-credentials`: the same in every language. */
export function reasonOf({ text }: Pick<PageRefusal, 'text'>): string {
  return text.replace(/^[\w-]+\.|Minutes$/g, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** Returns a text as HTML. The user name is isolated and runs from left to right, also in Arabic and Hebrew. */
export function htmlWithName(text: string, username: string): string {
  const name = `<bdi dir="ltr">${ejs.escapeXML(username)}</bdi>`
  return text
    .split('{username}')
    .map((part) => ejs.escapeXML(part))
    .join(name)
}

function linksOf({ forgotPasswordUrl, helpUrl, termsUrl }: Brand, language: Language) {
  const texts = textsOf(language)
  const links = [
    ['forgot', forgotPasswordUrl, texts.forgotPassword],
    ['help', helpUrl, texts.help],
    ['terms', termsUrl, texts.terms],
  ] as const
  return links.flatMap(([name, address, text]) =>
    address === null ? [] : [{ name, address: inLanguage(address, language), text }],
  )
}

/** Adds the language to an address of this app: the viewer may have chosen it. */
function inLanguage(address: string, language: Language): string {
  return address.startsWith('/') ? `${address}?lang=${language}` : address
}

function logoImage({ name, logo, colorScheme }: Brand, assets: BrandAssets, isWordmark: boolean) {
  if (logo === null || assets.logo === null) return null
  const isAlwaysDark = colorScheme === 'dark' && assets.darkLogo !== null
  return {
    address: isAlwaysDark ? assets.darkLogo.address : assets.logo.address,
    // Replaces the address if the viewer's system is dark.
    darkAddress: colorScheme === 'auto' ? (assets.darkLogo?.address ?? null) : null,
    // The largest size; the stylesheet makes it smaller.
    width: Math.round((logo.width / logo.height) * LOGO_HEIGHT_PX),
    height: LOGO_HEIGHT_PX,
    alt: isWordmark ? (name ?? '') : '',
    // A white plate on dark screens, because the logo may have dark letters.
    needsPlate: assets.darkLogo === null && colorScheme !== 'light',
  }
}

export function directionOf(language: Language): 'ltr' | 'rtl' {
  const locale = new Intl.Locale(language).maximize()
  return ['Arab', 'Hebr'].includes(locale.script ?? '') ? 'rtl' : 'ltr'
}

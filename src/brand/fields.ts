import { z } from 'zod'
import { jsonIn } from '../json-text.ts'
import { knownLanguage } from '../languages/languages.ts'
import { fail, lineField } from '../settings/fields.ts'
import type { SettingSource, SettingValues } from '../settings/setting.ts'
import { type Brand, COLOR_SCHEMES, UNBRANDED, USERNAME_KINDS } from './brand.ts'
import { colorsOf, DarkColor, LightColor } from './colors.ts'
import { LogoFile } from './logo-file.ts'

const NO_TITLE = 'must be one line, or a JSON object with a line for each language: {"en": "…", "de": "…"}'

const Line = lineField(60)

const KnownLanguage = z
  .string('must be text')
  .transform((tag, context) => knownLanguage(tag) ?? fail(context, 'must be the name of a file in views/languages'))

/** One line for all languages, or a JSON object with a line for each. */
export function titleField(line: z.ZodType<string, string>) {
  const lines = z.record(KnownLanguage, line).refine((given) => Object.keys(given).length > 0, NO_TITLE)
  return z
    .string('must be text, or an object with a text for each language')
    .transform((text) => (text.startsWith('{') ? jsonIn(text) : text))
    .pipe(z.union([line, lines], NO_TITLE))
}

export const Title = titleField(Line)

/**
 * Builds the fields of a brand.
 * @param link parses the address of a page outside of this app.
 */
export function brandFields(link: z.ZodType<string, string>) {
  return {
    brandName: Line.optional(),
    brandTitle: Title.optional().meta({ inFile: 'object' }),
    brandLogoFile: LogoFile.optional(),
    brandLogoDarkFile: LogoFile.optional(),
    brandColor: LightColor.optional(),
    brandColorDark: DarkColor.optional(),
    colorScheme: oneOf(COLOR_SCHEMES).default(UNBRANDED.colorScheme),
    helpUrl: link.optional(),
    forgotPasswordUrl: link.optional(),
    termsUrl: link.optional(),
    usernameKind: oneOf(USERNAME_KINDS).default(UNBRANDED.usernameKind),
    defaultLanguage: KnownLanguage.default(UNBRANDED.defaultLanguage),
  }
}

type BrandFields = ReturnType<typeof brandFields>
type BrandSettings = SettingValues<BrandFields>

/** Builds the brand from parsed fields. Refuses fields that need another one. */
export function brandOf(settings: BrandSettings, source: Pick<SettingSource, 'refuse' | 'nameOf'>): Brand {
  const { brandName, brandLogoFile, brandLogoDarkFile } = settings
  const { refuse, nameOf } = source
  if (brandLogoFile && brandName === undefined) {
    refuse('brandLogoFile', `needs ${nameOf('brandName')}, which screen readers say instead of the logo`)
  }
  if (brandLogoDarkFile && !brandLogoFile) {
    refuse('brandLogoDarkFile', `needs ${nameOf('brandLogoFile')}. If one logo fits both, name it in both`)
  }
  return {
    name: brandName ?? null,
    title: settings.brandTitle ?? null,
    logo: brandLogoFile ?? null,
    darkLogo: brandLogoDarkFile ?? null,
    colors: colorsOf(settings.brandColor, settings.brandColorDark),
    colorScheme: settings.colorScheme,
    helpUrl: settings.helpUrl ?? null,
    forgotPasswordUrl: settings.forgotPasswordUrl ?? null,
    termsUrl: settings.termsUrl ?? null,
    usernameKind: settings.usernameKind,
    defaultLanguage: settings.defaultLanguage,
  }
}

function oneOf<T extends string>(values: readonly T[]) {
  return z.enum(values as [T, ...T[]], `must be one of ${values.join(', ')}`)
}

import type { AddressRules } from '../../entry-points/feature-settings.ts'
import { addressField, addressRules } from '../../entry-points/fields.ts'
import { ConfigError } from '../../errors.ts'
import type { Service } from '../../login/service.ts'
import type { Environment } from '../../settings/fields.ts'

const WATCH_PAGE = 'watch-page'
const LONGEST_ADDRESS = 2048

/** The settings of the page with the video. */
function watchPageSettings({ assertBrowserScheme }: Pick<AddressRules, 'assertBrowserScheme'>) {
  const WatchUrl = addressField((text): string => {
    const url = /^https?:\/\/[^\s\p{C}]+$/u.test(text) && URL.canParse(text) ? new URL(text) : null
    if (url === null || url.href.length > LONGEST_ADDRESS) throw new RangeError('must be an https: address')
    assertBrowserScheme(text)
    if (url.username !== '' || url.password !== '') throw new RangeError('must not contain a user name or a password')
    return url.href
  })
  return { watchUrl: WatchUrl.optional() }
}

/** The address of the page with the video. It has only settings. */
export const watchPage: Service<null> = {
  name: WATCH_PAGE,
  settings: watchPageSettings,
  read: ({ watchUrl }) => watchUrl ?? null,
}

/** Returns the address of the page with the video of an entry point; null if it is not known. Never from a request. */
export function watchUrlOf({ features }: { readonly features: Readonly<Record<string, unknown>> }): string | null {
  return (features[WATCH_PAGE] as string | undefined) ?? null
}

/**
 * Reads WATCH_URL alone, for a command that needs no secret of the app. Null if it is not set.
 * @throws ConfigError if it is wrong.
 */
export function readWatchUrl(given: Environment, publicUrl: URL): string | null {
  const parsed = watchPageSettings(addressRules(publicUrl)).watchUrl.safeParse(given.WATCH_URL || undefined)
  if (!parsed.success) throw new ConfigError(`WATCH_URL ${parsed.error.issues[0]?.message}.`)
  return parsed.data ?? null
}

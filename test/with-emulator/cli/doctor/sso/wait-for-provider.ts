import { ssoOf } from '../../../../../src/features/sso/settings/sso-settings.ts'
import { features } from '../../../../../src/features.ts'
import type { Feature } from '../../../../../src/login/feature.ts'
import type { LoginAppOptions } from '../../../../login/start-login-app.ts'

/** Adds to `waits` until the provider was read once or could not be read. @returns the options with which the app says so. */
export function waitForProvider(options: LoginAppOptions, waits: Promise<unknown>[]): LoginAppOptions {
  const tried = Promise.withResolvers<unknown>()
  const log = { info: tried.resolve, warn: tried.resolve }
  const waiting = (feature: Feature): Feature => ({
    ...feature,
    open: (services, ...more) => feature.open({ ...services, log }, ...more),
  })
  if (options.entryPoints?.some((one) => ssoOf(one) !== null)) waits.push(tried.promise)
  const given = options.features ?? features
  return { ...options, features: given.map((one) => (one.name === 'sso' ? waiting(one) : one)) }
}

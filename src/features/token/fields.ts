import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import type { EntryPoint, HashParameter } from '../../entry-points/entry-point.ts'
import type { AddressRules, FeatureSettings } from '../../entry-points/feature-settings.ts'
import { addressField, hashSettings } from '../../entry-points/fields.ts'
import { warningsOfSharedKey } from '../../entry-points/shared-keys.ts'
import { type AllowedAddress, parseAllowedAddress } from '../../hash-lock/return-address.ts'
import { listField, required } from '../../settings/fields.ts'
import { missingMessage, type SettingSource, type Settings } from '../../settings/setting.ts'
import { parseContentKey } from './viewer-token/content-key.ts'

const CONTENT_KEY_MISSING =
  'is required: the private key of the channel or video in PEM form; make one with: npm run -s viewer-auth -- secret generate --key-pair FILE'
const REF_ADDRESSES_MISSING =
  'is required: the addresses of the player that a ref may have, such as https://player.example/embed/1002'
const KEY_URL_MISSING =
  'is required: the address of the keys that tokens are encrypted with, such as https://api.example/viewer-auth-public-key.json'

const CHOICE = { viewerAuth: z.enum(['hash', 'token'], 'must be hash or token').default('hash') }

const TokenSubject = z
  .string('must be text')
  .regex(/^[^\s,=\p{Cc}]{1,64}$/u, 'must be the name of one attribute, such as username')

/** Parses the address of the service's keys. @throws RangeError */
function parseKeyUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol) || /[\s\p{C}]/u.test(text)) {
    throw new RangeError('must be an https address, such as https://api.example/viewer-auth-public-key.json')
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    throw new RangeError('must contain neither a user name nor a fragment')
  }
  return url.href
}

/** The second version: the player sends its address as `ref`, and gets a token, as `vt`. */
export interface TokenSettings {
  /** The private key of the channel or video, which signs tokens. */
  readonly contentKey: KeyObject
  /** The address of the keys that the service publishes, which encrypt tokens. */
  readonly serviceKeyUrl: string
  /** Addresses that a `ref` may have. At least one. */
  readonly refAddresses: readonly AllowedAddress[]
  /** The attribute of the viewer that becomes `sub`. */
  readonly parameters: readonly HashParameter[]
}

/** An entry point whose player gets tokens. */
export type TokenEntryPoint = EntryPoint & TokenSettings

export function isTokenEntryPoint(entryPoint: EntryPoint): entryPoint is TokenEntryPoint {
  return entryPoint.viewerAuth === 'token'
}

function settings({ assertScheme }: AddressRules) {
  const refAddresses = listField('must name at least one address', (item) => {
    const address = parseAllowedAddress(item)
    assertScheme(item)
    return address
  })
  const keyUrl = addressField((text) => {
    const address = parseKeyUrl(text)
    assertScheme(address)
    return address
  })
  return {
    contentKey: required(addressField(parseContentKey), CONTENT_KEY_MISSING).meta({ isSecret: true }),
    serviceViewerKeyUrl: required(keyUrl, KEY_URL_MISSING),
    refAddresses: required(refAddresses, REF_ADDRESSES_MISSING).meta({ inFile: 'list' }),
    tokenSubject: TokenSubject.default('username'),
  }
}

type Fields = ReturnType<typeof settings>

/**
 * Reads VIEWER_AUTH. Without it, an entry point that has only the key of tokens chooses them. Says that the settings of the
 * other version have no effect.
 */
function isChosen(source: SettingSource, rules: AddressRules): boolean {
  const hasOnlyTokens = source.has('contentKey') && !source.has('secret') && !source.has('viewerAuth')
  const viewerAuth = hasOnlyTokens ? 'token' : source.read(CHOICE).viewerAuth
  const ofOther: Settings = viewerAuth === 'token' ? hashSettings(rules) : settings(rules)
  const given = Object.entries(ofOther).filter(([name]) => source.has(name))
  source.read(Object.fromEntries(given))
  // In the environment, copies with both versions may share the optional settings.
  const unused = given.filter(([, schema]) => source.isStrict || missingMessage(schema) !== null)
  const names = unused.map(([name]) => source.nameOf(name)).join(', ')
  const choice = `${source.nameOf('viewerAuth')} is ${viewerAuth}`
  if (names !== '' && viewerAuth) source.warn(`${choice}, so these settings have no effect: ${names}`)
  return viewerAuth === 'token'
}

/** The settings of tokens at an entry point. They are on with VIEWER_AUTH=token. */
export const tokenFields = {
  name: 'token',
  settings,
  answer: {
    choice: CHOICE,
    isChosen,
  },
  read({ contentKey, serviceViewerKeyUrl, refAddresses, tokenSubject }) {
    // Missing or wrong, which is refused already.
    if (!contentKey || !serviceViewerKeyUrl || !refAddresses) return null
    const parameters = [{ name: 'sub', attribute: tokenSubject }]
    return { contentKey, serviceKeyUrl: serviceViewerKeyUrl, refAddresses, parameters }
  },
  warningsOf: ({ contentKey: key }, entryPoint, run) =>
    warningsOfSharedKey(run, { setting: 'CONTENT_KEY', entryPoint, key, mayRepeat: false }),
} satisfies FeatureSettings<Fields, TokenSettings>

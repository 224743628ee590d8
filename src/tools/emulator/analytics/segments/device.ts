import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { load } from 'js-yaml'
import makeParser from 'uap-ref-impl'
import { z } from 'zod'

const Text = z.string().nullable()
/** The fields of the analytics document. Families are always present, everything else may be null. */
const DeviceInfo = z.object({
  browser: z.object({ family: z.string(), major: Text, minor: Text, patch: Text }),
  os: z.object({ family: z.string(), major: Text, minor: Text, patch: Text, patch_minor: Text }),
  device: z.object({ family: z.string(), brand: Text, model: Text }),
})
const Parsed = z.object({ ua: z.unknown(), os: z.looseObject({ patchMinor: z.unknown() }), device: z.unknown() })

export type DeviceInfo = z.infer<typeof DeviceInfo>

export interface Device {
  readonly info: DeviceInfo
  /** True for phones and tablets, by their operating system. */
  readonly isMobile: boolean
}

/** Some patterns are slow on very long texts. */
const MAX_USER_AGENT_LENGTH = 512

const MOBILE_SYSTEMS =
  /^(?:Android|BlackBerry OS|BlackBerry Tablet OS|Firefox OS|HarmonyOS|iOS|KaiOS|Symbian OS|Tizen|Windows Mobile|Windows Phone)$/
/** Televisions and set-top boxes run the operating systems of phones. */
const TELEVISIONS = /\bTV\b|SmartTV|AppleTV|BRAVIA|CrKey|\bAFT[A-Z]/i

/** Parsing a user agent takes 0.2 ms. */
const cache = new Map<string, Device>()
let parser: ReturnType<typeof makeParser> | undefined

/**
 * Reads a user agent with the patterns of uap-core. An unknown or empty user agent has the family "Other" everywhere.
 * Only the first 512 characters are read.
 */
export function describeDevice(userAgent: string): Device {
  const text = userAgent.slice(0, MAX_USER_AGENT_LENGTH)
  const cached = cache.get(text)
  if (cached !== undefined) return cached
  parser ??= loadParser()
  const { ua, os, device: model } = Parsed.parse(parser.parse(text))
  const info = DeviceInfo.parse({ browser: ua, os: { ...os, patch_minor: os.patchMinor }, device: model })
  const device = { info, isMobile: MOBILE_SYSTEMS.test(info.os.family) && !TELEVISIONS.test(text) }
  cache.set(text, device)
  return device
}

function loadParser() {
  const patterns = load(readFileSync(fileURLToPath(import.meta.resolve('uap-core/regexes.yaml')), 'utf8'))
  return makeParser(z.looseObject({}).parse(patterns))
}

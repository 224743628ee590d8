import { checkAsset } from '../../../cli/doctor/app/screen-parts.ts'
import type { FeatureCheck, FeatureForms } from '../../../cli/doctor/feature-check.ts'
import { failure, findingOf } from '../../../cli/doctor/finding.ts'
import { notAllowed } from '../../../cli/doctor/page/policy.ts'
import { postForm, requestFrame } from '../../../cli/doctor/request.ts'
import { addressOf } from '../../../cli/settings/chosen-entry-point.ts'

const AT = '?prompt=passkey'
const START = '/passkey/start'
const FORBIDDEN = /publickey-credentials-(?:get|create)=\(\)/

const isAt: FeatureForms['isAt'] = ({ features }) => features.passkeys !== undefined

/** Opens the window as the frame does. Only a browser with a passkey can answer what the window asks. */
export const passkeysCheck: FeatureCheck = {
  async *check(config, isAppThere, signal) {
    for (const entryPoint of isAppThere ? config.entryPoints.filter(isAt) : []) {
      const screen = await requestFrame(`${addressOf(config, entryPoint)}${AT}`, signal)
      const html = screen instanceof Response ? await screen.text() : ''
      const flow = /name="flow" value="([\w-]{43})"/.exec(html)?.[1]
      // Other checks name the cause.
      if (flow === undefined) continue
      const opened = await postForm(config, entryPoint, START, { flow }, signal)
      const fault = opened instanceof Response ? await faultInWindow(opened, config.publicUrl, signal) : opened.text
      const text = `The window for passkeys of POST ${START} does not work: ${fault} Correct the proxy, or see the log of the app.`
      if (fault !== null) yield findingOf(config, entryPoint, failure('passkey-window', text))
    }
    return []
  },
  forms: {
    isAt,
    first: { at: AT, path: START, fields: ['flow', 'wait'] },
    paths: ['/passkey/finish', '/passkey/create', '/sso/continue'],
  },
  window: { name: 'passkeys', isOpenedBy: isAt },
}

/** Returns a sentence; null for a window that may ask the device. */
async function faultInWindow(opened: Response, publicUrl: URL, signal: AbortSignal): Promise<string | null> {
  const { headers, status } = opened
  const html = await opened.text()
  if (status !== 200 || !html.includes('data-public-key='))
    return `it has the status ${status}, and asks for no passkey.`
  const hasCookie = headers.getSetCookie().some((cookie) => /^(?:__Host-)?sso-.*; HttpOnly; Secure/i.test(cookie))
  if (!hasCookie) return 'its cookie is removed or changed.'
  const lacks = notAllowed(headers, 'script-src', ["'self'"])
  const isForbidden = FORBIDDEN.test(headers.get('permissions-policy') ?? '')
  if (isForbidden || lacks.length > 0) return 'its policy forbids passkeys or the script.'
  const script = /src="([^"]*\/passkeys\.js[^"]*)"/.exec(html)?.[1] ?? ''
  return await checkAsset(new URL(script, publicUrl), signal)
}

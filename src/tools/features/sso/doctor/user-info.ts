import type { ServerMetadata } from 'openid-client'
import { type Finding, ok, unknown } from '../../../cli/doctor/finding.ts'
import { request } from '../../../cli/doctor/request.ts'

/** Answers to a wrong access token (RFC 6750, section 3.1). */
const REFUSALS = [400, 401, 403]

/**
 * Asks the user info endpoint with a wrong access token. It can be on another host than the rest of the provider, which a
 * firewall may not let pass. The app needs it only for claims that the ID token lacks, which cannot be seen from here.
 */
export async function checkUserInfo(
  { userinfo_endpoint: address }: ServerMetadata,
  signal: AbortSignal,
): Promise<Finding> {
  if (address === undefined) {
    return ok('sso-no-user-info', 'The provider has no user info endpoint, so the ID token must have all claims.')
  }
  const needed = 'The app asks there for claims that the ID token lacks. Let the provider write all of them into it, or'
  if (!URL.canParse(address)) {
    return unknown('sso-user-info-away', `userinfo_endpoint is not an address. ${needed} correct the provider.`)
  }
  const answer = await request(address, signal, { headers: { Authorization: 'Bearer doctor' } })
  if (!(answer instanceof Response)) {
    return unknown('sso-user-info-away', `User info cannot be reached. ${answer.text} ${needed} let the app out.`)
  }
  await answer.body?.cancel()
  return REFUSALS.includes(answer.status)
    ? ok('sso-user-info', `User info at ${new URL(address).origin} refuses a wrong access token, as it must.`)
    : unknown(
        'sso-user-info-away',
        `${address} answers ${answer.status} to a wrong access token. ${needed} correct the provider, or a proxy before it.`,
      )
}

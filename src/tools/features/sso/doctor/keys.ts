import type { ServerMetadata } from 'openid-client'
import { z } from 'zod'
import { type Finding, failure, ok } from '../../../cli/doctor/finding.ts'
import { request } from '../../../cli/doctor/request.ts'

const Keys = z.object({ keys: z.array(z.looseObject({ kty: z.string(), use: z.string().optional() })) })
/** `oct` is a shared secret, which no provider may publish. */
const PUBLIC_KEY_TYPES = ['RSA', 'EC', 'OKP', 'AKP']

/**
 * Reads the keys that verify ID tokens and logout tokens. They can be on another host than the rest of the provider, which
 * a firewall may not let pass.
 */
export async function checkKeys({ jwks_uri: address }: ServerMetadata, signal: AbortSignal): Promise<Finding> {
  if (address === undefined || !URL.canParse(address)) {
    return failure('sso-no-keys', 'The discovery document has no jwks_uri, so the app cannot verify any ID token.')
  }
  const answer = await request(address, signal)
  if (!(answer instanceof Response)) {
    return failure('sso-keys-away', `The keys of the provider cannot be reached, so no sign-in can end. ${answer.text}`)
  }
  const document = Keys.safeParse(await answer.json().catch(() => null))
  const isForSignatures = document.data?.keys.some(({ kty, use }) => PUBLIC_KEY_TYPES.includes(kty) && use !== 'enc')
  return answer.status === 200 && isForSignatures
    ? ok('sso-keys', 'The provider publishes the keys of its signatures.')
    : failure(
        'sso-no-keys',
        `${address} answers ${answer.status} without a key for signatures, so no sign-in can end. Correct the provider, or a proxy before it.`,
      )
}

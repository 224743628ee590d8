import type { TokenSettings } from '../../../../features/token/fields.ts'
import type { TokenIssuer } from '../../../../features/token/issuer/token-issuers.ts'
import { createTokenAnswer } from '../../../../features/token/token-answer.ts'
import type { FeatureScenes } from '../../../cli/preview/screen.ts'

/** Its tokens stay in this process: no screen contains one. */
const ISSUER: TokenIssuer = {
  assertCapacity: () => {},
  issue: () => Promise.resolve('preview'),
  refetchKeys: () => {},
}

/** The answer with tokens. The keys of the service are not fetched. */
export const tokenPreview: FeatureScenes = {
  open: () => ({ at: (_entryPoint, settings) => ({ answer: createTokenAnswer(settings as TokenSettings, ISSUER) }) }),
  fieldsOf: refOf,
  async screens({ app }, settings) {
    const at = async (fields: Readonly<Record<string, string>>) => (await app.get('', { fields })).html
    const { ref } = refOf(settings)
    return [
      { name: 'ref is missing', html: await at({}) },
      { name: 'refused token', html: await at({ ref: `${ref}?vt=x` }) },
    ]
  },
}

function refOf(settings: unknown): { readonly ref: string } {
  const [address] = (settings as TokenSettings).refAddresses
  return { ref: address ? address.origin + address.path : '' }
}

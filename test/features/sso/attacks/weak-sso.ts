import type { Sso } from '../../../../src/features/sso/open-sso.ts'
import type { IdentityProvider } from '../../../../src/features/sso/provider/identity-provider.ts'
import type { FlowRecords, FlowStore, RecordKind } from '../../../../src/features/window/flows/flow-store.ts'
import { digestOf } from '../../../../src/features/window/random-text.ts'

/** Takes a guard out of single sign-on. */
export type Weaken = (sso: Sso) => Sso

/** Every record can be taken again. */
export const keepRecords: Weaken = (sso) => {
  const kept = new Map<string, unknown>()
  const flows: FlowStore = {
    ...sso.flows,
    put(kind, key, record) {
      kept.set(`${kind} ${key}`, record)
      return Promise.resolve()
    },
    take: <Kind extends RecordKind>(kind: Kind, key: string) =>
      Promise.resolve((kept.get(`${kind} ${key}`) ?? null) as FlowRecords[Kind] | null),
  }
  return { ...sso, flows }
}

/** The public half of the secret opens the result too. */
export const acceptPublicHalf: Weaken = (sso) => {
  const put: FlowStore['put'] = async (kind, key, record) => {
    await sso.flows.put(kind, key, record)
    if (kind === 'result') await sso.flows.put(kind, digestOf(key), record)
  }
  return { ...sso, flows: { ...sso.flows, put } }
}

const SAME = { nonce: 'n'.repeat(43), codeVerifier: 'v'.repeat(43) }

/** All sign-ins have the same nonce or the same PKCE verifier. */
export function share(secrets: readonly (keyof typeof SAME)[]): Weaken {
  const shared = Object.fromEntries(secrets.map((name) => [name, SAME[name]]))
  return changeProvider((provider) => ({
    ...provider,
    authorizationUrl: (request) => provider.authorizationUrl({ ...request, ...shared }),
    signIn: (currentUrl, own) => provider.signIn(currentUrl, { ...own, ...shared }),
  }))
}

export function changeProvider(change: (provider: IdentityProvider) => IdentityProvider): Weaken {
  return (sso) => ({ ...sso, providerOf: (settings) => change(sso.providerOf(settings)) })
}

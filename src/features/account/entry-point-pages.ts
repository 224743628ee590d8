import type { Router } from 'express'
import type { Brand } from '../../brand/brand.ts'
import type { EntryPoint } from '../../entry-points/entry-point.ts'
import type { CheckCredentialsDeps } from '../../login/request/check-credentials.ts'
import { FEWEST_CHARACTERS } from '../../users/passwords/new-password.ts'
import type { Account } from './account.ts'
import { type AccountLogDeps, createAccountLog } from './account-log.ts'
import { passwordAddresses } from './links/addresses.ts'
import { type AccountPagesOptions, createAccountPages } from './pages.ts'
import type { AccountDeps } from './route-deps.ts'
import { accountRoutes } from './routes.ts'

export interface EntryPointAccountDeps
  extends CheckCredentialsDeps,
    Pick<AccountDeps, 'publicUrl' | 'nowSeconds'>,
    Pick<AccountPagesOptions, 'templates' | 'asset' | 'headers' | 'scriptHeaders'>,
    Omit<AccountLogDeps, 'entryPoint'> {
  readonly account: Account
  readonly entryPoint: Pick<EntryPoint, 'name' | 'basePath' | 'brand' | 'hasScript'>
}

/** Creates the pages of one entry point on which viewers set their passwords. */
export function entryPointAccount(deps: EntryPointAccountDeps): Router {
  const { account, entryPoint, publicUrl } = deps
  const { name, brand, basePath, hasScript } = entryPoint
  const canReset = account.mailQueue !== null
  return accountRoutes({
    ...deps,
    ...account,
    basePath,
    service: brand.name ?? publicUrl.hostname,
    pages: createAccountPages({ ...deps, brand, basePath, hasScript, canReset, fewestCharacters: FEWEST_CHARACTERS }),
    logAccount: createAccountLog({ ...deps, entryPoint: name }),
  })
}

/** Returns the brand with the address of "Forgot password?" that fits: a page of this app, or the one of the settings. */
export function brandWithAddresses(
  { brand, basePath }: Pick<EntryPoint, 'brand' | 'basePath'>,
  account: Account | null,
): Brand {
  const hasOwnPages = account !== null && account.mailQueue !== null
  return { ...brand, forgotPasswordUrl: passwordAddresses(basePath, hasOwnPages, brand.forgotPasswordUrl).forgot }
}

import type { Request, Response } from 'express'
import type { PlayerContext } from '../../../login/request/player-context.ts'
import type { Refusal } from '../../../login/screens/screens.ts'
import { newSecret } from '../../../services/mail-code/code.ts'
import type { Registrations } from '../book/registrations.ts'
import { PATHS } from '../form/paths.ts'
import type { Ends } from '../screens/messages.ts'
import type { RegistrationPages } from '../screens/pages.ts'

interface AddressFormDeps {
  readonly registrations: Pick<Registrations, 'openness'>
  readonly settings: Ends
  readonly pages: Pick<RegistrationPages, 'sendAddress'>
}

/** Shows the form for the address, with a fault of the form before. */
export async function sendAddressForm(
  { registrations, settings, pages }: AddressFormDeps,
  req: Request,
  res: Response,
  context: PlayerContext,
  fault: { readonly refusal?: Refusal; readonly address?: string } = {},
): Promise<void> {
  const openness = await registrations.openness()
  const hidden = { start: newSecret() }
  pages.sendAddress(req, res, { context, path: PATHS.address, hidden, openness, ends: settings, ...fault })
}

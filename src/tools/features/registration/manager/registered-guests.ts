import type { Registration } from '../../../../features/registration/book/registration.ts'
import { registrationOf } from '../../../../features/registration/settings/settings.ts'
import type { PagePart } from '../../../manager/section.ts'
import { pagesOf, withRegistrations } from '../open-registrations.ts'

/** The guests whose registration is approved. */
export const registeredGuests: NonNullable<PagePart['guests']> = async (env, entryPoint, wanted) => {
  if (registrationOf(entryPoint) === undefined) return []
  const found = await withRegistrations({ env }, { entryPoint: entryPoint.name }, async ({ registrations }) => {
    const one = wanted === undefined ? null : await registrations.find(wanted)
    if (wanted !== undefined) return one?.state === 'approved' ? [one] : []
    const all: Registration[] = []
    for await (const page of pagesOf(registrations, { state: 'approved' })) all.push(...page)
    return all
  })
  return found.map(({ address, language }) => ({ username: address, language }))
}

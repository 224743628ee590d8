import type { WayIn } from '../../../cli/drill/drill-part.ts'

/** Guests with a personal access code each. */
export const accessCodeWay: WayIn = {
  name: 'codes',
  takesFields: true,
  async withCrowd(io, request, work) {
    const { withMadeUpCodes } = await import('./made-up-codes.ts')
    return await withMadeUpCodes(io, request, work)
  },
}

import type { WayIn } from '../../../cli/drill/drill-part.ts'

/** Guests with a code by mail. The drill is their mail server. */
export const mailWay: WayIn = {
  name: 'mail',
  takesFields: false,
  async withCrowd(io, request, work) {
    const { withMailGuests } = await import('./mail-guests.ts')
    return await withMailGuests(io, request, work)
  },
}

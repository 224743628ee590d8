import { FIRST_PASSWORD_WAY } from '../../users/password-ways.ts'
import type { WayIn } from '../../way-in.ts'

export const doorsWay: WayIn = {
  name: 'a waiting room',
  async prepare(origin, folder) {
    const { settings, ...store } = await FIRST_PASSWORD_WAY.prepare(origin, folder)
    const inAnHour = `${new Date(Date.now() + 3_600_000).toISOString().slice(0, 16)}Z`
    return { ...store, settings: { ...settings, OPENS_AT: inAnHour, WAITING_ROOM: 'on' } }
  },
}

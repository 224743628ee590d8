import { doorState } from '../../../../features/doors/doors.ts'
import type { DoorSettings } from '../../../../features/doors/fields.ts'
import { createGate } from '../../../../features/doors/gate.ts'
import { createWaitingCount } from '../../../../features/doors/waiting/reload-time.ts'
import { createWaitingRoom } from '../../../../features/doors/waiting/waiting-room.ts'
import type { EventWindow } from '../../../../settings/event-window.ts'
import { type FeatureScenes, type Screen, VIEWER } from '../../../cli/preview/screen.ts'

const DAY = 86_400
/** The opening and the end on each screen, in seconds from now. */
const SHOWN = [
  ['doors, soon open', 4_000, DAY],
  ['doors, open on another day', 3 * DAY, 4 * DAY],
  ['doors, over', -DAY, -60],
] as const

/** The windows of the next screen. Without one, the doors are open. */
const stage: { windows: readonly EventWindow[] } = { windows: [] }

/** The screens of closed doors, or of viewers who wait for the opening. */
export const doorsPreview: FeatureScenes = {
  open: (services) => ({
    at(entryPoint, settings) {
      const { hasWaitingRoom } = settings as DoorSettings
      const decide = createGate(entryPoint, () => ({ ...(settings as DoorSettings), ...stage }), services.nowSeconds)
      if (!hasWaitingRoom) return { gate: () => decide }
      const opensAtSeconds = () => {
        const state = doorState(stage.windows, services.nowSeconds())
        return state.name === 'not-open-yet' ? state.opensAtSeconds : null
      }
      return createWaitingRoom({ decide, opensAtSeconds }, services, createWaitingCount(services.nowSeconds))
    },
  }),
  async screens({ app, fields }) {
    const form = { ...fields, username: VIEWER, password: 'preview' }
    const { cookie } = await app.post('/sign-in', { at: 'open', fields: form })
    const screens: Screen[] = []
    const now = Math.ceil(Date.now() / 1000)
    for (const [name, opens, closes] of SHOWN) {
      stage.windows = [{ opensAtSeconds: now + opens, closesAtSeconds: now + closes }]
      screens.push({ name, html: (await app.get('', { at: 'open', fields, headers: { Cookie: cookie } })).html })
    }
    stage.windows = []
    return screens
  },
}

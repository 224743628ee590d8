/** Why closed doors refuse viewers, by the reason on the screen. */
export const closedDoors: Readonly<Record<string, string>> = {
  'not-open-yet': 'the doors are closed. Open them with viewer-auth doors --opens, or rehearse when they are open',
  over: 'the doors have closed for good. Move them with viewer-auth doors --closes',
}

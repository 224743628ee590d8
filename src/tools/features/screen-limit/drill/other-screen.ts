/** Why the limit on screens refuses viewers, by the reason on the screen. */
export const otherScreen: Readonly<Record<string, string>> = {
  'other-screen':
    'SCREENS=ask asks a viewer who already watches, as in a rehearsal before. Wait until the responses expire, or rehearse with SCREENS=newest',
}

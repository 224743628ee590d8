/**
 * Sets up the frame that shows the login app.
 * @param panel the element around the frame, hidden without a frame.
 * @param settings the settings that the server wrote into the page.
 * @param onResponse called with the response of the login app, or with the text "false".
 */
export function setUpSignInFrame({ panel, settings, onResponse }) {
  if (settings.popupWidth !== null) panel.style.setProperty('--frame-width', `${settings.popupWidth}px`)
  if (settings.popupHeight !== null) panel.style.setProperty('--frame-height', `${settings.popupHeight}px`)

  addEventListener('message', ({ origin, source, data }) => {
    const frame = panel.querySelector('iframe')
    // The return page has the same origin as this page, and replaces the login app in the frame.
    if (origin !== location.origin || frame === null || source !== frame.contentWindow) return
    if (data?.type === 'authentication-response' && typeof data.response === 'string') onResponse(data.response)
  })

  function remove() {
    panel.querySelector('iframe')?.remove()
    panel.hidden = true
  }

  return {
    /** Makes a new frame each time, so that the browser's "back" leaves the page instead of showing old sign-ins. */
    show() {
      remove()
      const frame = document.createElement('iframe')
      frame.title = 'Log in'
      frame.src = settings.entryUrl
      panel.append(frame)
      panel.hidden = false
      frame.focus()
    },
    remove,
  }
}

/**
 * The frame in which the login app is shown.
 * @param panel the element that holds it, hidden without it.
 * @param settings what the server wrote into the page.
 * @param onResponse called with what the login app sent back: a response, or the text "false".
 */
export function setUpSignInFrame({ panel, settings, onResponse }) {
  if (settings.popupWidth !== null) panel.style.setProperty('--frame-width', `${settings.popupWidth}px`)
  if (settings.popupHeight !== null) panel.style.setProperty('--frame-height', `${settings.popupHeight}px`)

  addEventListener('message', ({ origin, source, data }) => {
    const frame = panel.querySelector('iframe')
    // The return page is of our own origin, and stands where the login app stood.
    if (origin !== location.origin || frame === null || source !== frame.contentWindow) return
    if (data?.type === 'authentication-response' && typeof data.response === 'string') onResponse(data.response)
  })

  function remove() {
    panel.querySelector('iframe')?.remove()
    panel.hidden = true
  }

  return {
    /** A new frame each time: the browser's "back" leads out of the page, not through old sign-ins. */
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

import { forget, keep, recall } from '/assets/browser-store.js'
import { setUpSignInFrame } from '/assets/sign-in-frame.js'
import { askService, isPlaybackOver } from '/assets/validation.js'

/** After so many refusals within this time, the player stops going back to the entry point without a click. */
const MOST_REFUSALS = 5
const REFUSALS_WITHIN_MS = 30_000
/** Browsers store a timer in 31 bits. */
const LONGEST_TIMER_MS = 86_400_000

/**
 * Keeps a channel or video closed until the service has validated the viewer's authentication response. Closes it
 * again when the response expires. With a token, the page arrives open, and gets a new token at the end.
 *
 * @param element holds the message, the buttons and the sign-in frame. The style sheet shows the parts of each state.
 * @param settings the settings that the server wrote into the page.
 * @param onOpen called with the service's answer each time the channel or video opens.
 * @param onClose called each time the channel or video closes.
 * @returns `recheck`, to be called when the service refuses a request while the gate is open.
 */
export function openGate({ element, settings, onOpen, onClose }) {
  const [button, retry, close] = ['log-in', 'retry', 'close'].map((name) => element.querySelector(`[data-${name}]`))
  const frame = setUpSignInFrame({ panel: element.querySelector('[data-sign-in]'), settings, onResponse: takeResponse })
  const validation = setUpValidation({ settings, onAnswer })
  const isBrakeDue = setUpBrake()

  function show(state) {
    element.dataset.state = state
    element.hidden = state === 'open'
    element.querySelector('[data-message]').textContent = settings.texts[state] ?? ''
    if (state === 'signing-in') frame.show()
    else frame.remove()
    if (state === 'cancelled' || state === 'refused') button.focus()
    if (state === 'unreachable') retry.focus()
  }

  function takeResponse(response) {
    if (response === 'false') return show('cancelled')
    show('checking')
    return validation.ask(response)
  }

  function onAnswer(answer) {
    if (answer?.valid) {
      show('open')
      return onOpen(answer)
    }
    onClose()
    if (answer === null) return show('unreachable')
    // The lock was set after this page was loaded, so the page does not know the entry point.
    if (settings.entryUrl === null) return location.reload()
    // An invalid or expired response sends the viewer back to the entry point without a click.
    return show(isBrakeDue() ? 'refused' : 'signing-in')
  }

  button.addEventListener('click', () => show('signing-in'))
  retry.addEventListener('click', validation.again)
  close.addEventListener('click', () => {
    show('locked')
    button.focus()
  })
  const first = responseInFragment(settings) ?? validation.kept()
  if (settings.opening) validation.take(settings.opening)
  else if (first !== null || settings.entryUrl === null) void takeResponse(first)
  else show('locked')
  return {
    recheck() {
      if (element.dataset.state === 'open') validation.again()
    },
  }
}

/** Validates a response, stores it in the browser while it is valid, and validates it again when it expires. */
function setUpValidation({ settings, onAnswer }) {
  const { opening, renewUrl } = settings
  const storageKey = `viewer-authentication:${settings.kind}:${settings.contentType}:${settings.contentId}`
  let last = null
  let isAsking = false
  let endTimer

  async function ask(response) {
    last = response
    clearTimeout(endTimer)
    isAsking = true
    const answer = await askService(settings, response)
    isAsking = false
    if (answer?.valid && response !== null) keep(storageKey, response)
    if (answer?.valid === false) forget(storageKey)
    take(answer)
  }

  function take(answer) {
    clearTimeout(endTimer)
    // Counted by the service's clock, because the viewer's clock may be wrong.
    if (answer?.valid) endTimer = setTimeout(again, Math.min(answer.playback_seconds * 1000, LONGEST_TIMER_MS))
    onAnswer(answer)
  }

  async function renewToken() {
    isAsking = true
    const isOver = await isPlaybackOver(opening)
    isAsking = false
    if (isOver) location.replace(renewUrl)
    else take(isOver === null ? null : opening)
  }

  /** The video, the chat and the timer may all notice at once that a playback has expired: one request is enough. */
  function again() {
    if (!isAsking) void (opening ? renewToken() : ask(last))
  }

  return { ask, take, again, kept: () => recall(storageKey) }
}

/** Returns a function that counts a refusal, and is true after too many refusals in a short time. */
function setUpBrake() {
  let refusals = []
  return () => {
    const now = Date.now()
    refusals = [...refusals.filter((at) => now - at < REFUSALS_WITHIN_MS), now]
    if (refusals.length < MOST_REFUSALS) return false
    refusals = []
    return true
  }
}

/** The response that the return page put behind "#", after the chat went to the entry point in the whole window. */
function responseInFragment({ kind }) {
  const response = kind === 'player' ? null : new URLSearchParams(location.hash.slice(1)).get('hash')
  if (response !== null) history.replaceState(null, '', location.pathname + location.search)
  return response
}

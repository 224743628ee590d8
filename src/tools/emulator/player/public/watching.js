import { keep, recall } from '/assets/browser-store.js'

const HEARTBEAT_MS = 10_000

/**
 * Reports what the viewer watches. A segment begins when the video plays, and ends when the video pauses or jumps, or the
 * page closes.
 *
 * @param video the video element.
 * @param settings the settings that the server wrote into the page.
 * @param onRefused called when the service says that the playback has expired.
 * @returns `begin`, to be called with each new playback token.
 */
export function reportViews({ video, settings, onRefused }) {
  const isLive = settings.contentType === 'live'
  const segments = setUpSegments({ settings, position, onRefused })
  let lastPosition = 0

  function position() {
    if (isLive) return null
    // While the video jumps, or after its source was removed, its position is not the one that the viewer left.
    const isElsewhere = video.seeking || video.readyState === 0
    return Math.floor(isElsewhere ? lastPosition : video.currentTime)
  }

  function start() {
    if (!video.paused) segments.start()
  }

  for (const event of ['playing', 'seeked']) video.addEventListener(event, start)
  for (const event of ['pause', 'emptied']) video.addEventListener(event, segments.end)
  addEventListener('pagehide', segments.end)
  // The video may play on when the page comes back from the browser's cache of pages.
  addEventListener('pageshow', start)
  video.addEventListener('timeupdate', () => {
    if (!video.seeking) lastPosition = video.currentTime
  })
  video.addEventListener('seeking', () => {
    // A live channel shows the clip in a loop: the jump to the start is not made by the viewer.
    if (!isLive) void segments.end()
  })
  video.addEventListener('ended', segments.newSession)
  return {
    begin(token) {
      segments.use(token)
      start()
    },
  }
}

/** Keeps one running segment. The service makes its id, and ends the segments of crashed browsers. */
function setUpSegments({ settings, position, onRefused }) {
  const clientId = clientOfThisBrowser()
  let viewSessionId = crypto.randomUUID()
  let playback = null
  let running = null
  let heartbeatTimer

  function start() {
    if (playback === null || running !== null) return
    running = post('/embed/views/start', {
      ...named(),
      view_session_id: viewSessionId,
      client_id: clientId,
      view_type: isOnOwnPage() ? 'onsite' : 'offsite',
    }).then((answer) => (answer?.ok ? answer.json() : null))
    heartbeatTimer = setInterval(beat, HEARTBEAT_MS)
  }

  async function end() {
    if (running === null) return
    const ended = running
    const at = position()
    running = null
    clearInterval(heartbeatTimer)
    const started = await ended
    // The browser sends a beacon even while the page closes.
    if (started) navigator.sendBeacon('/embed/views/end', asJson({ segment_id: started.segment_id, position: at }))
  }

  async function beat() {
    const started = await running
    if (!started) return
    const answer = await post('/embed/views/heartbeat', { ...named(), segment_id: started.segment_id })
    if (answer?.status === 403) onRefused()
  }

  function named() {
    return { playback, content_type: settings.contentType, content_id: settings.contentId, position: position() }
  }

  return {
    start,
    end,
    use(token) {
      playback = token
    },
    newSession() {
      void end()
      viewSessionId = crypto.randomUUID()
    },
  }
}

function post(path, body) {
  return fetch(path, { method: 'POST', body: asJson(body) }).catch(() => null)
}

function asJson(body) {
  return new Blob([JSON.stringify(body)], { type: 'application/json' })
}

/** One id per browser, if the browser can store it. */
function clientOfThisBrowser() {
  const kept = recall('client-id')
  if (kept !== null) return kept
  const made = crypto.randomUUID()
  keep('client-id', made)
  return made
}

/** True if the page around the player belongs to the service, false if it belongs to a customer. */
function isOnOwnPage() {
  try {
    return window.top.location.origin === location.origin
  } catch {
    return false
  }
}

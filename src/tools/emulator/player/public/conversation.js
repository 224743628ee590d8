/** A browser reconnects by itself, but not after a 403. */
const REFUSED_PAUSE_MS = 1_000

/**
 * Sets up the messages of a chat, or of the Q&A, and the form to write one.
 * @param chat the element with both.
 * @param settings the settings that the server wrote into the page.
 * @param recheck called when the service refuses a chat that was open.
 * @returns `open` and `close`, for the gate.
 */
export function setUpConversation({ chat, settings, recheck }) {
  const body = chat.querySelector('[data-conversation]')
  const viewer = chat.querySelector('[data-viewer]')
  const address = `/${settings.kind === 'qna' ? 'qna' : 'chat'}/${settings.contentPath}/messages`
  const append = setUpMessages(chat)
  let playback = null
  let stream = null
  let lastId = 0

  function connect() {
    stream?.close()
    if (playback === null || document.hidden) return
    const opened = new EventSource(`${address}?playback=${playback}&after=${lastId}`)
    opened.addEventListener('message', ({ data }) => {
      const message = JSON.parse(data)
      // After a reconnection the service may repeat messages.
      if (message.id > lastId) append(message)
      lastId = Math.max(lastId, message.id)
    })
    opened.addEventListener('error', () => {
      if (opened.readyState === EventSource.CLOSED) setTimeout(recheck, REFUSED_PAUSE_MS)
    })
    stream = opened
  }

  setUpForm({ chat, address, playback: () => playback, recheck })
  // Browsers open only a few connections to one address: a hidden tab must not hold one.
  document.addEventListener('visibilitychange', connect)
  return {
    open(answer) {
      playback = answer.playback
      body.hidden = false
      viewer.textContent = answer.viewer === null ? '' : `as ${answer.viewer}`
      connect()
    },
    close() {
      playback = null
      stream?.close()
      body.hidden = true
    },
  }
}

function setUpMessages(chat) {
  const list = chat.querySelector('[data-messages]')
  const log = list.parentElement
  const empty = chat.querySelector('[data-empty]')
  return ({ author, text, sent_at }) => {
    const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40
    const [item, name, time, words] = ['li', 'b', 'time', 'p'].map((tag) => document.createElement(tag))
    name.textContent = author
    time.dateTime = sent_at
    time.textContent = new Date(sent_at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
    words.textContent = text
    item.append(name, time, words)
    list.append(item)
    empty.hidden = true
    // A viewer who has scrolled up to read stays there.
    if (isAtEnd) log.scrollTop = log.scrollHeight
  }
}

function setUpForm({ chat, address, playback, recheck }) {
  const form = chat.querySelector('form')
  const field = form.elements.namedItem('text')
  const problem = chat.querySelector('[data-problem]')

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const text = field.value.trim()
    if (text === '') return
    problem.textContent = ''
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ playback: playback(), text }),
    }).catch(() => null)
    if (answer?.ok) field.value = ''
    else if (answer?.status === 403) recheck()
    else problem.textContent = 'Message not sent. Try again in a moment.'
    field.focus()
  })
}

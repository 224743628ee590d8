// Optional: every screen is complete without it.

const MOST_RETRIES = 15
let form
let button
let label
let status
let ticking
let isSending = false
let isAutomatic
let sent = 0

setUp()
addEventListener('submit', (event) => {
  if (event.target !== form) return
  event.preventDefault()
  if (isSending) return
  sent = 0
  void send()
})
for (const name of ['input', 'click']) addEventListener(name, () => (isAutomatic = false))
addEventListener('pageshow', ({ persisted }) => persisted && form && setSending(''))

function setUp() {
  for (const field of document.querySelectorAll('[data-show-password] [type="password"]')) setUpPassword(field)
  form = document.forms['sign-in']
  if (!form) return
  isAutomatic = false
  button = form.querySelector('.primary')
  label = button.textContent
  status = create('p', { role: 'status' })
  form.append(status)
  if (form.dataset.retry) wait(form.dataset.retry, document.getElementById('alert'))
}

function create(name, attributes) {
  const element = document.createElement(name)
  for (const key in attributes) element.setAttribute(key, attributes[key])
  return element
}

function setUpPassword(field) {
  const { showPassword, capsLock } = field.form.dataset
  const eye = create('button', { type: 'button', 'aria-label': showPassword })
  const hint = create('span', { role: 'status' })
  const show = (isShown) => {
    field.type = isShown ? 'text' : 'password'
    eye.setAttribute('aria-pressed', isShown)
  }
  show(false)
  eye.onclick = () => show(field.type === 'password')
  // Browsers remember other fields.
  field.form.addEventListener('submit', () => show(false))
  field.onkeydown = field.onkeyup = (event) => {
    hint.textContent = event.getModifierState?.('CapsLock') ? capsLock : ''
  }
  field.after(eye, hint)
}

function setSending(text) {
  isSending = text !== ''
  button.textContent = text || label
  status.textContent = text
}

/** Keeps the fields at a 503. */
async function send() {
  clearInterval(ticking)
  sent += 1
  setSending(form.dataset.signingIn)
  try {
    const answer = await fetch(form.action, {
      method: 'POST',
      headers: { Accept: 'application/json' },
      body: new URLSearchParams(new FormData(form)),
      redirect: 'manual',
    })
    if (answer.ok) location.assign(new URL((await answer.json()).location))
    else show(answer.status, new DOMParser().parseFromString(await answer.text(), 'text/html'))
  } catch {
    form.submit()
  }
}

function show(statusCode, { title, body, forms }) {
  const alert = body.querySelector('.card [role="alert"]') ?? body.querySelector('.card [role="status"], .card h1')
  if (!alert) return form.submit()
  const retry = forms['sign-in']?.dataset.retry
  document.title = title
  setSending('')
  if (statusCode === 503 && retry) {
    document.querySelector('header').replaceWith(alert.closest('header'))
    document.body.className = body.className
    isAutomatic = sent <= MOST_RETRIES
    wait(retry, alert)
  } else {
    document.body.replaceWith(body)
    setUp()
    ;(body.querySelector('[autofocus]') ?? alert).focus()
  }
}

function wait(retry, alert) {
  const { after, unit, automatic, byHand, now } = JSON.parse(retry)
  const endMs = Date.now() + 1000 * (isAutomatic ? (after + 2 * sent - 2) * (1 + Math.random()) : after)
  const rules = new Intl.PluralRules(document.documentElement.lang)
  const timer = create('span', { 'aria-live': 'off' })
  const tick = () => {
    const left = Math.ceil((endMs - Date.now()) / 1000 / unit)
    document.body.classList.toggle('waiting', left > 0)
    const forms = isAutomatic ? automatic : byHand
    if (left > 0) timer.textContent = forms[rules.select(left)].replace('{count}', left)
    else if (isAutomatic) void send()
    else {
      clearInterval(ticking)
      alert.className = 'now'
      timer.textContent = status.textContent = now
    }
  }
  alert.replaceChildren(timer)
  ticking = setInterval(tick, 1000)
  tick()
  status.textContent = timer.textContent
}
